// The client of an ssh-agent: it lists keys and signs with them, and never hands one out (draft-ietf-sshm-ssh-agent, sections 4 and 5).
// Each request has a connection of its own, which takes 0.4 ms (measured): no answer can be taken for that of another request.

import { connect } from 'node:net';
import { encodeString, encodeUint32, WireReader } from '../keys/wire.ts';

/** Numbers of messages (section 5). */
const listRequest = 11;
const listAnswer = 12;
const signRequest = 13;
const signAnswer = 14;

/** Longest answer, in bytes: OpenSSH's agent takes and sends no longer message. */
const answerMax = 256 * 1024;
/** Milliseconds for which an agent that did not answer is not asked again: each request would wait as long as the first. */
const silentMs = 5_000;

/** An agent that cannot be used now. The message completes "The agent ...". */
export class AgentError extends Error {}

export interface AgentKey {
  /** The public key in wire form. */
  readonly blob: Buffer;
  /** A label that anybody may have chosen. */
  readonly comment: string;
}

/** An agent. Both methods throw AgentError. */
export interface Agent {
  list(): Promise<AgentKey[]>;
  /**
   * Signs data with one of its keys, and returns the signature in wire form, not verified.
   *
   * @param flags 4 for an RSA key, which makes it sign with SHA-512; 0 for others (section 5.6.1)
   */
  sign(blob: Uint8Array, data: Uint8Array, flags: number): Promise<Buffer>;
}

/**
 * Creates the client of the agent behind a Unix socket. Connects only when it is asked.
 *
 * @param answerMs milliseconds until an agent must have answered; by default long enough for its operator to confirm
 */
export function createAgent(socket: string, answerMs = 10_000): Agent {
  let silentUntil = 0;
  const ask = async (request: Buffer, answer: number): Promise<WireReader> => {
    if (performance.now() < silentUntil) throw new AgentError('does not answer');
    const message = await exchange(socket, Buffer.concat([encodeUint32(request.length), request]), answerMs).catch(
      (error) => {
        if (error instanceof SilentError) silentUntil = performance.now() + silentMs;
        throw error;
      },
    );
    // Any refusal is the same byte: the agent is locked, has no such key, or its operator said no.
    if (message[0] !== answer) throw new AgentError('refuses: it is locked, has no such key, or was told no');
    return new WireReader(message.subarray(1));
  };
  return {
    async list() {
      const reader = await ask(Buffer.of(listRequest), listAnswer);
      return readWhole(() =>
        Array.from({ length: Math.min(reader.readUint32(), answerMax) }, () => ({
          blob: Buffer.from(reader.readString()),
          comment: reader.readString().toString('utf8'),
        })),
      );
    },
    async sign(blob, data, flags) {
      const parts = [Buffer.of(signRequest), encodeString(blob), encodeString(data), encodeUint32(flags)];
      const reader = await ask(Buffer.concat(parts), signAnswer);
      return readWhole(() => Buffer.from(reader.readString()));
    },
  };
}

class SilentError extends AgentError {}

function readWhole<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new AgentError('sent an answer that cannot be read', { cause: error });
  }
}

function exchange(path: string, message: Buffer, answerMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path });
    const parts: Buffer[] = [];
    let received = 0;
    const end = (error: AgentError | null, answer?: Buffer) => {
      clearTimeout(timer);
      socket.destroy();
      if (answer === undefined) reject(error);
      else resolve(answer);
    };
    const timer = setTimeout(() => end(new SilentError(`did not answer within ${answerMs / 1000} seconds`)), answerMs);
    socket.on('error', (error) => {
      const code = 'code' in error ? String(error.code) : 'unknown';
      end(new AgentError(`cannot be reached (${code})`, { cause: error }));
    });
    socket.on('end', () => end(new AgentError('closed the connection')));
    socket.on('data', (part: Buffer) => {
      parts.push(part);
      received += part.length;
      const whole = Buffer.concat(parts);
      const length = whole.length < 4 ? 0 : whole.readUInt32BE(0);
      if (length > answerMax || received > answerMax + 4) return end(new AgentError('sent an answer that is too long'));
      if (length > 0 && whole.length >= 4 + length) end(null, whole.subarray(4, 4 + length));
    });
    socket.write(message);
  });
}
