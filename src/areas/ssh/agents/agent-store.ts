// The agents that hold keys of certificate authorities: what they offer, and how they sign for an authority.

import type { SigningAgentSetting } from '../../../domain/access/signing-agents.ts';
import { invalid, SallyportError } from '../../../domain/errors.ts';
import { remedies } from '../../../domain/remedies.ts';
import { type Notes, notesForCreate } from '../../../domain/values/text.ts';
import { called } from '../../../domain/wording.ts';
import { isDuplicate } from '../../../storage/errors.ts';
import { type AccountScope, type AccountView, perDatabase } from '../../../storage/objects/account-scope.ts';
import type { Row } from '../../../storage/objects/collection.ts';
import { type AuthorityKey, type OutsideSigner, outsideAuthorityKey } from '../authorities/authority-key.ts';
import { sshCertificateAuthorities } from '../collections-store.ts';
import { blobOfLine, fingerprint, formatLine, type PublicKey, parsePublicKey } from '../keys/public-key.ts';
import { isAuthoritySignature, signMessage } from '../keys/signature.ts';
import { WireReader } from '../keys/wire.ts';
import { type Agent, AgentError, createAgent } from './agent.ts';

/** The clients of the agents, by their sockets. */
const clients = perDatabase(() => new Map<string, Agent>());

function clientOf(scope: AccountView, { socket }: SigningAgentSetting): Agent {
  const known = clients(scope);
  const client = known.get(socket) ?? createAgent(socket);
  known.set(socket, client);
  return client;
}

/** Returns the agent of a name that the account may use; undefined if there is none. */
async function agentNamed(scope: AccountView, name: string): Promise<SigningAgentSetting | undefined> {
  return (await scope.signingAgents()).find((agent) => agent.name === name);
}

/** Flags of a request to sign: SHA-512 with RSA, because clients refuse SHA-1, and gpg-agent refuses flags on other keys (measured). */
const flagsFor = (algorithm: string) => (algorithm === 'ssh-rsa' ? 4 : 0);

const remedy =
  'The operator starts or unlocks the agent, or loads the key again; nothing was signed. Then repeat the request.';

/**
 * Returns the signer that an agent is for an authority.
 *
 * @param whose whose key it is, such as “of the certificate authority hosts”
 */
export function agentSigner(scope: AccountView, name: string, whose: string): OutsideSigner {
  const fail = (what: string, cause?: unknown) => {
    const message = `The agent "${name}", which has the key ${whose}, ${what}. ${remedy}`;
    return new SallyportError('UNAVAILABLE', message, { cause });
  };
  return {
    lane: name,
    async sign(key, message) {
      const setting = await agentNamed(scope, name);
      if (setting === undefined)
        throw fail(`is not among ${remedies.setSigningAgents} of this server for this account`);
      return signWith(clientOf(scope, setting), key, message).catch((error: unknown) => {
        throw error instanceof AgentError ? fail(error.message, error) : error;
      });
    },
  };
}

/** Has an agent sign, and returns the signature in wire form, verified. Throws AgentError if it does not, or with something else. */
export async function signWith(agent: Agent, key: AuthorityKey, message: Uint8Array): Promise<Buffer> {
  const signature = await agent.sign(key.publicKeyBlob, message, flagsFor(key.algorithm));
  if (!(await isAuthoritySignature(key, message, signature)))
    throw new AgentError('signs with another key, or in a way that clients refuse, such as SHA-1 with RSA');
  return signature;
}

/** A key of an agent, for an authority. */
export interface OfferedKey {
  readonly publicKey: string;
  readonly keyType: string;
  readonly fingerprint: string;
  readonly comment: string;
}

/** An agent, with the keys that it offers; or with why it can't be asked. */
export interface OfferedAgent {
  readonly name: string;
  readonly keys: readonly OfferedKey[];
  readonly problem: string | null;
}

export const keysMax = 100;

/** Reads a key of an agent. Returns null for what no authority can have: certificates, and keys that need a touch for each signature. */
function readOffered(blob: Buffer, comment: string): OfferedKey | null {
  try {
    const line = formatLine(new WireReader(blob).readString().toString('latin1'), blob);
    const { keyType } = parsePublicKey(line);
    return { publicKey: line, keyType, fingerprint: fingerprint(blob), comment };
  } catch (error) {
    if (error instanceof SallyportError || error instanceof RangeError) return null;
    throw error;
  }
}

/** Returns the agents that the account may use, with the keys that they offer for authorities now. */
export async function offeredAgents(scope: AccountView): Promise<OfferedAgent[]> {
  return Promise.all(
    (await scope.signingAgents()).map(async (setting) => {
      const { name } = setting;
      try {
        const keys = (await clientOf(scope, setting).list())
          .slice(0, keysMax)
          .flatMap(({ blob, comment }) => readOffered(blob, comment) ?? []);
        return { name, keys, problem: null };
      } catch (error) {
        if (!(error instanceof AgentError)) throw error;
        return { name, keys: [], problem: `It ${error.message}.` };
      }
    }),
  );
}

export interface AgentKeyChoice {
  readonly signingAgent: string;
  /** A public key line, or a fingerprint as `ssh-keygen -l` shows it; may be left out if the agent offers one key only. */
  readonly key?: string | null | undefined;
}

/**
 * Finds a key of an agent, and has it sign a text that is no certificate: a listed key is no proof that the agent can use it.
 *
 * @returns the columns of an authority with that key
 * @throws INVALID_INPUT for an agent that is not the account's, and a key that it does not offer; UNAVAILABLE if it does not sign
 */
export async function chooseAgentKey(scope: AccountScope, { signingAgent: name, key }: AgentKeyChoice) {
  const agents = await offeredAgents(scope);
  const agent = agents.find((each) => each.name === name);
  if (agent === undefined) {
    const others = agents.map((each) => `"${each.name}"`).join(', ');
    throw invalid(
      'signingAgent',
      `must be an agent that the operator has set up for this account: ${others || `there is none; name one in ${remedies.setSigningAgents}`}.`,
    );
  }
  if (agent.problem !== null) {
    throw new SallyportError('UNAVAILABLE', `The agent "${name}" cannot be asked. ${agent.problem} ${remedy}`);
  }
  const offered = agent.keys.map((each) => each.fingerprint).join(', ');
  const sought = key == null ? null : await soughtFingerprint(key);
  const found = agent.keys.filter((each) => sought === null || each.fingerprint === sought);
  const [only] = found;
  if (only === undefined || found.length > 1) {
    const which = agent.keys.length === 0 ? 'It offers none: it is empty or locked' : `It offers ${offered}`;
    throw invalid('key', `must be a key of the agent "${name}". ${which}.`);
  }
  await tryKey(scope, name, only.publicKey);
  return { keyType: only.keyType, publicKey: only.publicKey, signingAgent: name, sealedPrivateKey: new Uint8Array(0) };
}

/** What is signed to see whether an agent can: no certificate. */
export const trial = Buffer.from('sallyport tries whether this key signs');

/** Has an agent sign a text that is no certificate. Throws UNAVAILABLE if it does not. */
async function tryKey(scope: AccountView, name: string, publicKey: string): Promise<void> {
  const signer = agentSigner(scope, name, fingerprint(blobOfLine(publicKey)));
  await signMessage(outsideAuthorityKey(publicKey, signer), trial);
}

async function soughtFingerprint(key: string): Promise<string> {
  const text = key.trim();
  if (/^SHA256:[A-Za-z0-9+/]{43}$/.test(text)) return text;
  const { blob }: PublicKey = parsePublicKey(text);
  return fingerprint(blob);
}

/**
 * Creates a certificate authority whose private key stays in an agent.
 *
 * @throws as `chooseAgentKey`; DUPLICATE if the account already has an authority with this key
 */
export async function addSshCertificateAuthority(
  scope: AccountScope,
  input: Notes & AgentKeyChoice,
): Promise<Row<'SshCertificateAuthority'>> {
  const notes = notesForCreate(input);
  const columns = await chooseAgentKey(scope, input);
  try {
    return await sshCertificateAuthorities.create(scope, { ...notes, ...columns });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const [same] = await scope.db.sshCertificateAuthority.findMany({
      where: { publicKey: columns.publicKey },
      take: 1,
    });
    const whose = same === undefined ? 'a certificate authority' : `the certificate authority ${called(same)}`;
    throw new SallyportError('DUPLICATE', `is the key of ${whose} already. Go on with that authority.`, {
      field: 'key',
    });
  }
}
