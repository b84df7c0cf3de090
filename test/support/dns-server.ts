// A DNS server for tests: it answers over UDP what the test says at that moment, or nothing at all.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Answer, decode, encode } from 'dns-packet';

/** What the server answers about a name: addresses, or a failure; null for silence. */
export type DnsAnswer = readonly string[] | 'NXDOMAIN' | 'SERVFAIL' | null;

/** Starts a server. Names that are not in `names` do not exist. */
export async function startDnsServer(names: Record<string, DnsAnswer | (() => DnsAnswer)>, ttlSeconds = 60) {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (message, { address, port }) => {
    const { id, questions = [] } = decode(message);
    const [question] = questions;
    if (question === undefined) return;
    const { name, type } = question;
    asked.push(`${name} ${type}`);
    const key = name.toLowerCase();
    const answer = key in names ? names[key] : 'NXDOMAIN';
    const said = typeof answer === 'function' ? answer() : answer;
    if (said === null || said === undefined) return;
    const answers: Answer[] = (typeof said === 'string' ? [] : said).flatMap((data): Answer[] => {
      const of = data.includes(':') ? 'AAAA' : 'A';
      return of === type ? [{ type: of, name, ttl: ttlSeconds, data }] : [];
    });
    // RFC 1035, section 4.1.1: recursion is available, and the code of the failure.
    const flags = 0x80 | (said === 'NXDOMAIN' ? 3 : said === 'SERVFAIL' ? 2 : 0);
    socket.send(encode({ type: 'response', id: id ?? 0, flags, questions, answers }), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    /** The address and port, as `OUTGOING_DNS` takes it. */
    address: `127.0.0.1:${socket.address().port}`,
    /** The questions that have come, in order: `name type`. */
    asked,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}
