// One of the parallel writers: it creates, changes and deletes its own objects over both surfaces, one request at a time, and
// records what was acknowledged.

import { type Answer, NoAnswer, shorten, type TortureClient } from './client.ts';
import { type Content, type Entry, Ledger } from './ledger.ts';
import type { Random } from './random.ts';
import type { Broken } from './report.ts';

/** The tools of a writer. */
export interface Writing {
  readonly client: TortureClient;
  readonly ledger: Ledger;
  readonly broken: Broken;
  readonly random: Random;
  readonly round: number;
  /** Distinguishes the writers. */
  readonly name: string;
}

/** A request, in the form of both surfaces. */
interface Request {
  readonly rest: readonly [method: string, path: string, body?: object];
  /** The mutation, the field of its payload that is the new object, and its input. */
  readonly graphql: readonly [mutation: string, field: string | null, input: object];
}

const metadata = '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com"/>';

/** Writes until the server is gone. */
export async function write(writing: Writing): Promise<void> {
  const { random, round, name } = writing;
  const policies: Entry[] = [];
  const restrictions: Entry[] = [];
  const edges: Entry[] = [];
  try {
    // The route for the costliest object: generating the key of its SAML module takes longest.
    const saml = await createSamlRoute(writing);
    for (let count = 0; ; count += 1) {
      const tag = `${round} ${name} ${count}`;
      const choice = random.next();
      if (choice < 0.3 || policies.length < 3) {
        const content = { description: tag, metadata: random.of(['', 'ä€😀'.repeat(random.below(400))]) };
        await create(writing, '/ip_policies', 'createIpPolicy', 'ipPolicy', content, content, policies);
      } else if (choice < 0.45) {
        await changePolicy(writing, random.of(policies), tag);
      } else if (choice < 0.52) {
        const [policy] = policies.splice(random.below(policies.length), 1);
        if (policy !== undefined) await remove(writing, policy, 'deleteIpPolicy');
      } else if (choice < 0.62) {
        const content = { description: tag, ...restrictionContent(twoOf(policies, random)) };
        const input = {
          ...content,
          type: 'endpoints',
          ip_policies: undefined,
          ip_policy_ids: idsOf(content.ip_policies),
        };
        await create(writing, '/ip_restrictions', 'createIpRestriction', 'ipRestriction', input, content, restrictions);
      } else if (choice < 0.7 && restrictions.length > 0) {
        await changeRestriction(writing, random.of(restrictions), twoOf(policies, random));
      } else if (choice < 0.8 || edges.length === 0) {
        const content = { description: tag, hostports: [`${name}.example.com:443`] };
        const whole = { ...content, backend: null, policy: null };
        await create(writing, '/edges/tls', 'createTlsEdge', 'tlsEdge', content, whole, edges);
      } else if (choice < 0.92) {
        await replacePolicyModule(writing, random.of(edges), tag);
      } else if (choice < 0.97) {
        const edge = random.of(edges);
        if (Ledger.known(edge)?.policy !== null) await removePolicyModule(writing, edge);
      } else {
        await replaceSaml(writing, saml, tag);
      }
    }
  } catch (error) {
    // Every writer ends like this: the server was killed.
    if (!(error instanceof NoAnswer)) throw error;
  }
}

/** Returns two different entries of at least two. */
function twoOf(entries: readonly Entry[], random: Random): readonly Entry[] {
  const first = random.below(entries.length - 1);
  return entries.slice(first, first + 2);
}

const idsOf = (references: readonly { id: string }[]) => references.map(({ id }) => id);
const restrictionContent = (policies: readonly Entry[]) => ({
  enforced: true,
  ip_policies: policies.map(({ id }) => ({ id })),
});

async function create(
  writing: Writing,
  collection: string,
  mutation: string,
  field: string,
  input: object,
  content: NonNullable<Content>,
  made: Entry[],
): Promise<void> {
  const { ledger, round } = writing;
  const tag = String(content.description);
  ledger.unanswered.set(tag, content);
  const answer = await send(writing, { rest: ['POST', collection, input], graphql: [mutation, field, input] });
  ledger.unanswered.delete(tag);
  if (answer === null) return;
  const id = answer.body.id ?? answer.body.data?.made.object.id;
  const entry = { path: `${collection}/${id}`, id, states: [content], round };
  ledger.entries.push(entry);
  made.push(entry);
}

function changePolicy(writing: Writing, policy: Entry, tag: string): Promise<void> {
  const input = { metadata: `changed: ${tag}` };
  return change(
    writing,
    policy,
    { ...Ledger.known(policy), ...input },
    {
      rest: ['PATCH', policy.path, input],
      graphql: ['updateIpPolicy', null, { id: policy.id, ...input }],
    },
  );
}

function changeRestriction(writing: Writing, restriction: Entry, policies: readonly Entry[]): Promise<void> {
  const content = restrictionContent(policies);
  const input = { ip_policy_ids: idsOf(content.ip_policies) };
  return change(
    writing,
    restriction,
    { ...Ledger.known(restriction), ...content },
    {
      rest: ['PATCH', restriction.path, input],
      graphql: ['updateIpRestriction', null, { id: restriction.id, ...input }],
    },
  );
}

function replacePolicyModule(writing: Writing, edge: Entry, tag: string): Promise<void> {
  const inbound = [{ name: tag, expressions: ["conn.tls.version == '1.0'"], actions: [{ type: 'deny' }] }];
  const module = { enabled: true, inbound };
  return change(
    writing,
    edge,
    { ...Ledger.known(edge), policy: { ...module, outbound: null } },
    {
      rest: ['PUT', `${edge.path}/policy`, module],
      graphql: ['replaceTlsEdgePolicy', null, { edgeId: edge.id, ...module }],
    },
  );
}

function removePolicyModule(writing: Writing, edge: Entry): Promise<void> {
  return change(
    writing,
    edge,
    { ...Ledger.known(edge), policy: null },
    {
      rest: ['DELETE', `${edge.path}/policy`],
      graphql: ['deleteTlsEdgePolicy', null, { edgeId: edge.id }],
    },
  );
}

function remove(writing: Writing, entry: Entry, mutation: string): Promise<void> {
  return change(writing, entry, null, {
    rest: ['DELETE', entry.path],
    graphql: [mutation, null, { id: entry.id }],
  });
}

async function createSamlRoute({ client, ledger, round, name }: Writing): Promise<Entry & { edgeId: string }> {
  const edge = await client.rest('POST', '/edges/https', { description: `${round} ${name} saml` });
  const routes = `/edges/https/${edge.body.id}/routes`;
  const route = await client.rest('POST', routes, { match_type: 'path_prefix', match: '/' });
  const entry = { path: `${routes}/${route.body.id}/saml`, id: route.body.id, states: [null], round };
  ledger.entries.push(entry);
  return Object.assign(entry, { edgeId: edge.body.id });
}

function replaceSaml(writing: Writing, saml: Entry & { edgeId: string }, tag: string): Promise<void> {
  const input = { idp_metadata: metadata, authorized_groups: [tag] };
  return change(writing, saml, input, {
    rest: ['PUT', saml.path, input],
    graphql: ['replaceSamlModule', null, { edgeId: saml.edgeId, routeId: saml.id, ...input }],
  });
}

async function change(writing: Writing, entry: Entry, next: Content, request: Request): Promise<void> {
  const before = Ledger.known(entry);
  entry.states = [before, next];
  entry.round = writing.round;
  const answer = await send(writing, request);
  entry.states = [answer === null ? before : next];
}

/**
 * Sends a request over one of the surfaces. Returns null if the server refuses it because it is unavailable; any other refusal
 * breaks a promise, because everything sent here is valid.
 */
async function send({ client, ledger, broken, random }: Writing, { rest, graphql }: Request): Promise<Answer | null> {
  if (random.next() < 0.5) {
    const answer = await client.rest(...rest);
    if (answer.status < 300) ledger.acknowledged += 1;
    else if (answer.status !== 503)
      broken.add('a valid request is refused', `${rest.join(' ')}: ${shorten(answer.body)}`);
    return answer.status < 300 ? answer : null;
  }
  const [mutation, field, input] = graphql;
  const type = `${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Input`;
  const selection = field === null ? '__typename' : `object: ${field} { id }`;
  const document = `mutation ($input: ${type}!) { made: ${mutation}(input: $input) { ${selection} } }`;
  const answer = await client.graphql(document, { input: camelCased(input) });
  const code = answer.body?.errors?.[0]?.extensions?.code;
  if (code === undefined && answer.status === 200) ledger.acknowledged += 1;
  else if (code !== 'UNAVAILABLE') broken.add('a valid request is refused', `${mutation}: ${shorten(answer.body)}`);
  return code === undefined ? answer : null;
}

/** Renames the fields of an input to their GraphQL names. */
function camelCased(input: object): object {
  const rename = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [rename(name), value]));
}
