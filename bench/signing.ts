// Measures what signing a host certificate costs, compared with the bare signature of `node:crypto` over the same bytes. It calls
// the functions, without HTTP and without the database: the signing itself, in SSH form, and everything that
// `createSshHostCertificate` does between its checks and its write. There the certificate is built, signed, read back and verified,
// and written as a line, one certificate after the other in a queue as in the store.

import { randomBytes, sign, verify } from 'node:crypto';
import { exportAuthorityKey, openAuthorityKey } from '../src/areas/ssh/authorities/authority-key.ts';
import {
  buildCertificate,
  checkHostCertificate,
  nonceBytes,
  serialFromRandom,
  signHostCertificate,
} from '../src/areas/ssh/certificates/host-certificate.ts';
import { signMessage } from '../src/areas/ssh/keys/signature.ts';
import { createSigningQueue } from '../src/areas/ssh/keys/signing-queue.ts';
import { createNewId } from '../src/domain/values/ids.ts';
import { generatePrivateKey } from '../src/storage/keys/key-generation.ts';
import { type Finding, ratios, spreadOf } from './figures.ts';
import type { Pace } from './load.ts';

/** Certificates requested at once, over and over. */
const batchSize = 100;
const goal = { atLeast: 0.7 };
type Way = 'signing' | 'sallyport' | 'bare' | 'bareVerified';

/** The text above the table. */
export const signingWords = `An ed25519 authority signs host certificates, 100 requested at once. Signing is the step from a certificate's bytes to their
signature in SSH form. A whole certificate covers everything between a request's checks and its write: it is built, signed, read
back, verified and written as a line, one after another in a queue; verifying takes nearly three times as long as signing. Bare
is \`sign\` (and \`verify\`) of \`node:crypto\` over the same bytes, synchronous, in a loop.`;

/** Measures each way of signing in turn. */
export async function measureSigning({ seconds, rounds }: Pace, log: (message: string) => void): Promise<Finding[]> {
  const newKey = async () => exportAuthorityKey(await generatePrivateKey({ privateKeyType: 'ed25519' }));
  const authority = openAuthorityKey((await newKey()).pkcs8Der);
  const { publicKeyLine } = await newKey();
  const newId = createNewId(Date.now, randomBytes);
  const checked = checkHostCertificate({ publicKey: publicKeyLine, principals: ['host.example.com'] }, new Date());
  const certificates = Array.from({ length: batchSize }, () => ({
    ...checked,
    keyId: newId('SshHostCertificate'),
    serial: serialFromRandom(randomBytes(8)),
    nonce: randomBytes(nonceBytes),
  }));
  const bodies = certificates.map((certificate) => buildCertificate(certificate, authority.publicKeyBlob));
  const { publicKey, signer: privateKey } = authority;
  const queue = createSigningQueue();

  // Each creates a batch of signatures over the same bytes.
  const ways = {
    signing: async () => {
      for (const body of bodies) await signMessage(authority, body);
    },
    sallyport: () =>
      Promise.all(
        certificates.map((certificate) =>
          queue.run('account', authority, () => signHostCertificate(certificate, authority)),
        ),
      ),
    bare: async () => {
      for (const body of bodies) sign(null, body, privateKey);
    },
    bareVerified: async () => {
      for (const body of bodies) verify(null, body, publicKey, sign(null, body, privateKey));
    },
  };
  const names = ['signing', 'sallyport', 'bare', 'bareVerified'] as const;
  const empty = () => [] as number[];
  const rates = { signing: empty(), sallyport: empty(), bare: empty(), bareVerified: empty() };
  for (let round = 0; round <= rounds; round += 1) {
    log(round === 0 ? 'Warming up.' : `Round ${round} of ${rounds}.`);
    for (const name of names) {
      const rate = await signaturesPerSecond(ways[name], seconds);
      if (round > 0) rates[name].push(rate);
    }
  }
  const ratio = (what: string, ours: Way, theirs: Way, held: typeof goal | null = null): Finding => ({
    what,
    spread: spreadOf(ratios(rates[ours], rates[theirs])),
    goal: held,
  });
  return [
    ratio('Signing against bare `sign`', 'signing', 'bare', goal),
    { what: 'Whole certificates per second', spread: spreadOf(rates.sallyport), goal: null },
    ratio('Whole certificates against bare `sign`', 'sallyport', 'bare'),
    ratio('Whole certificates against bare `sign` and `verify`', 'sallyport', 'bareVerified'),
  ];
}

async function signaturesPerSecond(signBatch: () => Promise<unknown>, seconds: number): Promise<number> {
  const begun = performance.now();
  let batches = 0;
  while (performance.now() - begun < seconds * 1000) {
    await signBatch();
    batches += 1;
  }
  return (batches * batchSize) / ((performance.now() - begun) / 1000);
}
