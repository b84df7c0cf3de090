// What telling others costs: writes beside webhooks and a shipped trail against writes with none of them, and how many messages a
// second arrive beside 1,000 writes a second, at a real receiver.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Finding, ratios, spreadOf } from './figures.ts';
import { type Call, measure, type Pace } from './load.ts';
import { sendAtPace } from './paced.ts';
import type { Place } from './places.ts';
import type { Counts } from './receiver.ts';
import { ask } from './same-work.ts';
import { graphqlHeaders, restHeaders } from './scenarios.ts';
import { bundleOpponent, type Server, startOpponent, startSallyport } from './servers.ts';
import { makeTemplate, type Template } from './template.ts';

const hookCount = 10;
/** Objects that are changed in turn. */
const objectCount = 100;
const connections = 32;
/** Writes a second at a pace, and for how many seconds. */
const eventsPerSecond = 1_000;
const pacedSeconds = 8;
/** Milliseconds between two looks at the receiver, and without a message after which those that are missing are lost. */
const lookMs = 100;
const silenceMsMax = 30_000;
/** Milliseconds after which what was written is shipped. */
const shippedMs = 2_000;

const paced = eventsPerSecond.toLocaleString('en');
/** The text above the table. */
export const toldWords = `Changes of ${objectCount} objects of one account in turn, and a receiver of \`node:http\` on the same machine. Ten webhooks get each event
once (every webhook a tenth of the objects), or all events each; or the trail is shipped to a file. First ${paced} PATCH a second for
${pacedSeconds} seconds, as far as the machine lets them be sent; what a message costs is the processor time of the server beyond that of one that tells
nobody. Then PATCH without a pause on ${connections} connections, against a server that tells nobody, in the same round: by the processor
time of the server, and by the clock. At the end, the messages of all rounds are counted.`;

/** A server that tells of its changes. */
interface Teller {
  readonly name: string;
  readonly server: Server;
  readonly template: Template;
  /** How many messages an event makes. */
  readonly messagesOfEvent: number;
}

/**
 * Measures servers that tell what happens beside one that does not.
 *
 * @throws Error if a write fails, or if messages stop arriving
 */
export async function measureTold(place: Place, pace: Pace, log: (message: string) => void): Promise<Finding[]> {
  const template = await makeTemplate(place, 'told', objectCount);
  const file = join(place.directory, 'trail.jsonl');
  const running: Server[] = [];
  const start = async (name: string, settings: Readonly<Record<string, string>>) => {
    const url = await place.copy(template.url, `told_${name}`);
    const server = await startSallyport(url, template.secretKey, { settings });
    running.push(server);
    return server;
  };
  try {
    const receiver = await startOpponent(await bundleOpponent('receiver'), template.url);
    running.push(receiver);
    const networks = { OUTGOING_NETWORKS: '127.0.0.0/8' };
    const teller = async (name: string, settings: Readonly<Record<string, string>>, messagesOfEvent: number) => ({
      name,
      server: await start(name, settings),
      template,
      messagesOfEvent,
    });
    const plain = await teller('none', {}, 0);
    const once = await teller('once', networks, 1);
    const all = await teller('all', networks, hookCount);
    const shipping = await teller('shipping', { TRAIL_SHIP_FILE: file }, 0);
    for (let number = 0; number < hookCount; number += 1) {
      const ids = template.ids.filter((_, index) => index % hookCount === number);
      await addHook(once, `${receiver.url}/once/${number}`, ids);
      await addHook(all, `${receiver.url}/all/${number}`, []);
    }
    let texts = 0;
    /** Changes of one object after the other, each to a text of its own. */
    const changes = () => {
      texts += 1;
      const round = texts;
      return (n: number): Call => ({
        method: 'PATCH',
        path: `/ip_policies/${template.ids[n % objectCount]}`,
        headers: restHeaders(template.token, true),
        body: JSON.stringify({ description: `office in street ${round}.${n}` }),
      });
    };
    const figures = new Map<string, number[]>();
    const note = (name: string, figure: number) => figures.set(name, [...(figures.get(name) ?? []), figure]);
    for (let round = 0; round <= pace.rounds; round += 1) {
      log(round === 0 ? 'Warming up.' : `Round ${round} of ${pace.rounds}.`);
      let plainSeconds = 0;
      for (const each of [plain, once, all]) {
        const before = arrivedAt(each, await countsOf(receiver)).messages;
        const used = each.server.processorSeconds();
        const begun = performance.now();
        const sent = await sendAtPace(each.server, changes(), eventsPerSecond, pacedSeconds);
        const seconds = (performance.now() - begun) / 1000;
        const arrived = arrivedAt(each, await countsOf(receiver)).messages - before;
        const behind = await catchUp(each, receiver);
        const processorSeconds = each.server.processorSeconds() - used;
        if (each === plain) plainSeconds = processorSeconds;
        if (round === 0) continue;
        note(`${each.name} paced`, sent / seconds);
        note(`${each.name} messages`, arrived / seconds);
        note(`${each.name} share`, arrived / sent);
        note(`${each.name} behind`, behind);
        note(`${each.name} message`, ((processorSeconds - plainSeconds) / (sent * each.messagesOfEvent)) * 1e6);
      }
      const probes = [plain, once, all, shipping];
      for (const each of round % 2 === 0 ? probes : [...probes].reverse()) {
        const measured = { ...each.server, database: place.database };
        const written = await measure(measured, changes(), connections, pace.seconds);
        if (round > 0) {
          note(`${each.name} writes`, written.requestsPerSecond);
          note(`${each.name} processor`, 1e6 / written.processorMicroseconds);
        }
        if (each === shipping) await pause(shippedMs);
        else await catchUp(each, receiver);
      }
    }
    const counts = await countsOf(receiver);
    const lost = [];
    for (const each of [once, all])
      lost.push((await changesOf(each)) * each.messagesOfEvent - arrivedAt(each, counts).messages);
    const again = arrivedAt(once, counts).again + arrivedAt(all, counts).again;
    const spread = (name: string) => spreadOf(figures.get(name) ?? []);
    const against = (name: string, figure: string) =>
      spreadOf(ratios(figures.get(`${name} ${figure}`) ?? [], figures.get(`none ${figure}`) ?? []));
    const cost = (name: string, what: string): Finding[] => [
      {
        what: `Writes per second of processor time, ${what}, against none`,
        spread: against(name, 'processor'),
        goal: { atLeast: 0.9 },
      },
      { what: `Writes per second, ${what}, against none`, spread: against(name, 'writes'), goal: null },
    ];
    return [
      { what: 'Writes per second, each event to one of ten webhooks', spread: spread('once paced'), goal: null },
      { what: 'Messages per second meanwhile', spread: spread('once messages'), goal: null },
      {
        what: 'Messages that have arrived when the writes end, for each',
        spread: spread('once share'),
        goal: { atLeast: 0.95 },
      },
      { what: 'Seconds from the last write to the last message', spread: spread('once behind'), goal: { atMost: 1 } },
      { what: 'Writes per second, each event to all ten webhooks', spread: spread('all paced'), goal: null },
      { what: 'Messages per second meanwhile, to all', spread: spread('all messages'), goal: null },
      { what: 'Seconds from the last write to the last message, to all', spread: spread('all behind'), goal: null },
      { what: 'Microseconds of processor time for a message, to one', spread: spread('once message'), goal: null },
      { what: 'Microseconds of processor time for a message, to all', spread: spread('all message'), goal: null },
      { what: 'Messages lost', spread: spreadOf(lost), goal: { atMost: 0 } },
      { what: 'Messages received again', spread: spreadOf([again]), goal: { atMost: 0 } },
      ...cost('once', 'each event to one of ten webhooks'),
      ...cost('all', 'each event to all ten webhooks'),
      ...cost('shipping', 'the trail shipped to a file'),
    ];
  } finally {
    await Promise.all(running.map((server) => server.stop()));
    rmSync(file, { force: true });
  }
}

async function addHook({ server, template }: Teller, url: string, objectIds: readonly string[]): Promise<void> {
  const body = JSON.stringify({ url, events: ['ip_policy.update'], object_ids: objectIds });
  const headers = restHeaders(template.token, true);
  const { status } = await ask(server, { method: 'POST', path: '/webhooks', headers, body });
  if (status !== 201) throw new Error(`A webhook was not created: status ${status}.`);
}

async function countsOf(receiver: Server): Promise<Counts> {
  return JSON.parse((await ask(receiver, { method: 'GET', path: '/', headers: {} })).body);
}

/** Adds up what the webhooks of a server have received. */
function arrivedAt({ name }: Teller, counts: Counts): { readonly messages: number; readonly again: number } {
  const sum = { messages: 0, again: 0 };
  for (const [path, { messages, again }] of Object.entries(counts)) {
    if (!path.startsWith(`/${name}/`)) continue;
    sum.messages += messages;
    sum.again += again;
  }
  return sum;
}

/** Returns how many changes are stored: each has made its object one version newer. */
async function changesOf({ server, template }: Teller): Promise<number> {
  const body = JSON.stringify({ query: `{ ipPolicies(first: ${objectCount}) { nodes { version } } }` });
  const headers = graphqlHeaders(template.token);
  const { data } = JSON.parse((await ask(server, { method: 'POST', path: '/graphql', headers, body })).body);
  return data.ipPolicies.nodes.reduce((sum: number, { version }: { version: number }) => sum + version - 1, 0);
}

/** Waits until every message has arrived; returns after how many seconds the last one had. */
async function catchUp(teller: Teller, receiver: Server): Promise<number> {
  const begun = performance.now();
  const expected = (await changesOf(teller)) * teller.messagesOfEvent;
  let missing = Number.POSITIVE_INFINITY;
  let movedAt = begun;
  while (missing > 0) {
    const now = performance.now();
    const still = expected - arrivedAt(teller, await countsOf(receiver)).messages;
    if (still < missing) movedAt = now;
    else if (now - movedAt > silenceMsMax) throw new Error(`${still} messages have not arrived.`);
    missing = still;
    if (missing > 0) await pause(lookMs);
  }
  return (movedAt - begun) / 1000;
}
