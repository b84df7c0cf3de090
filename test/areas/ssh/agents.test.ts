// Certificate authorities whose private key is in an agent: OpenSSH's own, also with a token of hardware, and agents that fail or lie.

import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createAgent } from '../../../src/areas/ssh/agents/agent.ts';
import { checkAgents } from '../../../src/areas/ssh/agents/upkeep.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { dataOf } from '../../support/answers.ts';
import {
  judge,
  keyDirectory,
  makeKey,
  missingOpenssh,
  printCertificates,
  sshdSettings,
  startSshd,
} from '../../support/openssh.ts';
import { alter } from '../../support/planting.ts';
import { createProvingHost } from '../../support/proving-host.ts';
import { accountOf, type Client, startService, startTime, type TestService } from '../../support/service.ts';
import { hostKeys } from '../../support/ssh.ts';
import {
  makeToken,
  missingGpg,
  type RunningAgent,
  softHsm,
  startAgent,
  startGpgAgent,
} from '../../support/ssh-agent.ts';
import { times } from '../../support/times.ts';

describe.skipIf(missingOpenssh !== null)('an authority in an agent', () => {
  let folder: string;
  let agent: RunningAgent;
  let service: TestService;
  const agentOf = (name: string, account = 'default') => ({ name, account, socket: join(folder, `${name}.sock`) });
  beforeAll(async () => {
    folder = keyDirectory();
    agent = await startAgent(folder, 'files.sock');
    const signingAgents = [agentOf('files'), agentOf('hsm'), agentOf('liar'), agentOf('theirs', 'branch')];
    service = await startService({}, { signingAgents });
  });
  afterAll(async () => {
    await agent.stop();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const add = (input: object, client: Client = service) =>
    client.graphql(
      `mutation ($input: CreateSshCertificateAuthorityInAgentInput!) {
        createSshCertificateAuthorityInAgent(input: $input) {
          sshCertificateAuthority { id keyType publicKey signingAgent }
        }
      }`,
      { input },
    );
  const added = async (input: object) =>
    dataOf(await add(input)).createSshCertificateAuthorityInAgent.sshCertificateAuthority;
  const sign = (authorityId: string, principal = 'db.example.com') =>
    service.rest('POST', '/ssh_host_certificates', {
      ssh_certificate_authority_id: authorityId,
      public_key: hostKeys.ed25519,
      principals: [principal],
    });
  const shown = async (certificate: string) => {
    const file = join(folder, 'host-cert.pub');
    writeFileSync(file, certificate);
    return printCertificates(file);
  };
  const count = async (id: string) =>
    dataOf(await service.graphql(`{ sshCertificateAuthority(id: "${id}") { hostCertificates { totalCount } } }`))
      .sshCertificateAuthority.hostCertificates.totalCount;

  test.each([
    ['ed25519', 'ed25519', ['-t', 'ed25519'], 'ssh-ed25519'],
    ['P-384', 'ecdsa', ['-t', 'ecdsa', '-b', '384'], 'ecdsa-sha2-nistp384'],
    ['RSA', 'rsa', ['-t', 'rsa', '-b', '2048'], 'rsa-sha2-512'],
  ])('signs with a key of %s as clients accept it', async (name, keyType, options, scheme) => {
    const publicKey = await agent.generate(`key-${name}`, ...options);
    const authority = await added({ signingAgent: 'files', key: publicKey, description: name });
    expect(authority).toEqual({ id: expect.any(String), keyType, publicKey, signingAgent: 'files' });
    const { body, status } = await sign(authority.id);
    expect(status).toBe(201);
    expect(await shown(body.certificate)).toContain(`(using ${scheme})`);
  });

  test('is found among what the agents offer; without a choice only where there is one', async () => {
    const own = await startAgent(folder, 'hsm.sock');
    try {
      expect((await add({ signingAgent: 'hsm' })).errors?.[0]).toMatchObject({
        message: 'key: must be a key of the agent "hsm". It offers none: it is empty or locked.',
        extensions: { code: 'INVALID_INPUT', field: 'key' },
      });
      const publicKey = await own.generate('single', '-t', 'ed25519');
      const query = '{ sshSigningAgents { name problem keys { publicKey keyType comment } } }';
      expect(dataOf(await service.graphql(query)).sshSigningAgents.slice(1)).toEqual([
        { name: 'hsm', problem: null, keys: [{ publicKey, keyType: 'ed25519', comment: 'root@single' }] },
        { name: 'liar', problem: 'It cannot be reached (ENOENT).', keys: [] },
      ]);
      await added({ signingAgent: 'hsm', description: 'Single' });
      expect((await add({ signingAgent: 'hsm' })).errors?.[0]).toMatchObject({
        message: `key: is the key of the certificate authority "Single" already. Go on with that authority.`,
        extensions: { code: 'DUPLICATE', field: 'key' },
      });
    } finally {
      await own.stop();
      rmSync(own.socket, { force: true });
    }
  });

  test('belongs to the account that the operator has named, and to no other', async () => {
    const branch = await service.otherAccount('branch');
    const refused = (await add({ signingAgent: 'files' }, branch)).errors?.[0];
    expect(refused).toMatchObject({
      message: 'signingAgent: must be an agent that the operator has set up for this account: "theirs".',
      extensions: { code: 'INVALID_INPUT', field: 'signingAgent' },
    });
    expect((await add({ signingAgent: 'theirs' })).errors?.[0]?.extensions.code).toBe('INVALID_INPUT');
  });

  test('says so when its agent is locked or gone, stores nothing, and signs again as soon as it is back', async () => {
    let own = await startAgent(folder, 'hsm.sock');
    const key = await own.generate('comes-back', '-t', 'ed25519');
    const { id } = await added({ signingAgent: 'hsm', key, description: 'Comes back' });
    const refused = (what: string) => ({
      status: 503,
      body: {
        error_code: 'UNAVAILABLE',
        msg:
          `The agent "hsm", which has the key of the certificate authority "Comes back", ${what}. The operator starts or ` +
          'unlocks the agent, or loads the key again; nothing was signed. Then repeat the request.',
      },
    });
    await own.add(['-x'], 'locked');
    expect(await sign(id)).toMatchObject(refused('refuses: it is locked, has no such key, or was told no'));
    await own.add(['-X'], 'locked');
    expect((await sign(id)).status).toBe(201);
    await own.stop();
    expect(await sign(id)).toMatchObject(refused('cannot be reached (ECONNREFUSED)'));
    rmSync(own.socket);
    expect(await sign(id)).toMatchObject(refused('cannot be reached (ENOENT)'));
    own = await startAgent(folder, 'hsm.sock');
    expect(await sign(id)).toMatchObject(refused('refuses: it is locked, has no such key, or was told no'));
    await own.add(['-q', join(folder, 'comes-back')]);
    expect((await sign(id)).status).toBe(201);
    expect(await count(id)).toBe(2);
    await own.stop();
    rmSync(own.socket, { force: true });
  });

  test('says so when whoever is asked to confirm says no, and signs once they say yes', async () => {
    const answer = join(folder, 'confirm');
    const own = await startAgent(folder, 'hsm.sock', {
      SSH_ASKPASS: answer,
      SSH_ASKPASS_REQUIRE: 'force',
      DISPLAY: ':0',
    });
    const key = await own.generate('confirmed', '-t', 'ed25519');
    const { id } = await added({ signingAgent: 'hsm', key, description: 'Confirmed' });
    await own.add(['-d', '-q', join(folder, 'confirmed')]);
    await own.add(['-c', '-q', join(folder, 'confirmed')]);
    writeFileSync(answer, '#!/bin/sh\nexit 1\n', { mode: 0o700 });
    expect(await sign(id)).toMatchObject({
      status: 503,
      body: {
        msg: expect.stringContaining('refuses: it is locked, has no such key, or was told no. The operator starts or'),
      },
    });
    writeFileSync(answer, '#!/bin/sh\nexit 0\n');
    expect((await sign(id)).status).toBe(201);
    expect(await count(id)).toBe(1);
    await own.stop();
    rmSync(own.socket, { force: true });
  });

  const ofGpg = 'signs with a key of gpg-agent';
  test.skipIf(missingGpg)(missingGpg ? `${ofGpg} (skipped: no gpg)` : ofGpg, async () => {
    const { socket, stop } = await startGpgAgent(folder);
    symlinkSync(socket, agentOf('hsm').socket);
    try {
      const { id, keyType } = await added({ signingAgent: 'hsm', description: 'GnuPG' });
      expect(keyType).toBe('ed25519');
      expect(await shown((await sign(id)).body.certificate)).toContain('(using ssh-ed25519)');
    } finally {
      await stop();
      rmSync(agentOf('hsm').socket, { force: true });
    }
  });

  test('is tried by doctor, which says of each agent whether it signs, and which one is missing', async () => {
    const own = await startService({}, { signingAgents: [agentOf('files'), agentOf('hsm')] });
    onTestFinished(() => own.close());
    const hsm = await startAgent(folder, 'hsm.sock');
    const input = {
      signingAgent: 'hsm',
      key: await hsm.generate('tried', '-t', 'rsa', '-b', '2048'),
      description: 'Tried',
    };
    dataOf(await add(input, own));
    const told = async (...agents: ReturnType<typeof agentOf>[]) =>
      (await checkAgents(own.storage.server, agents)).map(({ level, message }) => `${level} ${message}`);
    const unused = 'The agent "liar" cannot be reached (ENOENT).';
    expect(await told(agentOf('hsm'), agentOf('liar'))).toEqual([
      'ok The agent "hsm" signs with the keys that it has for authorities: 1.',
      `warn ${unused}`,
    ]);
    await hsm.add(['-x'], 'locked');
    const whose = 'The agent "hsm", which has the key of the certificate authority "Tried" of the account "default",';
    expect(await told(agentOf('hsm'))).toEqual([
      `fail ${whose} refuses: it is locked, has no such key, or was told no.`,
    ]);
    await hsm.stop();
    rmSync(hsm.socket, { force: true });
    const absent = 'warn The agent "hsm" cannot be reached (ENOENT).';
    expect(await told(agentOf('hsm', 'branch'))).toEqual([`fail ${whose} is not set up here.`, absent]);
    // What has handed over signs no more, and its key may be gone.
    const scope = own.storage.actingFor(await accountOf(own), commandLine);
    await alter(scope, 'SshCertificateAuthority', { description: 'Tried' }, { handedOverAt: scope.now() });
    expect(await told(agentOf('hsm'))).toEqual([absent]);
    expect(await told()).toEqual([]);
  });

  test('whose agent disappears in the middle of 500 renewals answers each with a whole certificate or with what to do', async () => {
    let own = await startAgent(folder, 'hsm.sock');
    const key = await own.generate('in-the-middle', '-t', 'ed25519');
    const { id: authority } = await added({ signingAgent: 'hsm', key, description: 'In the middle' });
    const host = createProvingHost();
    const dayMs = 86_400_000;
    const certificate = {
      ssh_certificate_authority_id: authority,
      public_key: host.publicKey,
      valid_after: new Date(startTime.getTime() - 80 * dayMs).toISOString(),
      valid_until: new Date(startTime.getTime() + 10 * dayMs).toISOString(),
    };
    const requests = await Promise.all(
      times(500).map(async () => {
        const { id } = (await service.rest('POST', '/ssh_host_certificates', certificate)).body;
        const { challenge } = (await service.rest('POST', '/ssh_challenges', { ssh_host_certificate_id: id })).body;
        return { id, proof: { challenge, signature: host.sign('sallyport-renew', challenge) } };
      }),
    );
    let answered = 0;
    const renew = async ({ id, proof }: (typeof requests)[number]) => {
      const answer = await service.rest('POST', `/ssh_host_certificates/${id}/renew`, proof);
      answered += 1;
      if (answered === 100) await own.stop();
      return answer;
    };
    const answers = await Promise.all(requests.map(renew));
    const made = answers.filter(({ status }) => status === 201);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 503]));
    expect(
      (await shown(made.map(({ body }) => `${body.certificate}\n`).join(''))).match(/Signing CA: ED25519/g),
    ).toHaveLength(made.length);
    for (const { body, status } of answers) {
      if (status !== 201)
        expect(body.msg).toMatch(/^The agent "hsm", .* The operator starts or unlocks .* repeat the request\.$/);
    }
    expect(await count(authority)).toBe(500 + made.length);

    rmSync(own.socket);
    own = await startAgent(folder, 'hsm.sock');
    await own.add(['-q', join(folder, 'in-the-middle')]);
    // The very same requests: nothing of them was spent.
    const refused = requests.filter((_, index) => answers[index]?.status === 503);
    const again = await Promise.all(refused.map(renew));
    expect(again.filter(({ status }) => status !== 201)).toEqual([]);
    expect(await count(authority)).toBe(1_000);
    await own.stop();
    rmSync(own.socket, { force: true });
  });

  test('is the successor of one in the database, and the other way round', async () => {
    const old = (await service.rest('POST', '/ssh_certificate_authorities', { description: 'Old' })).body;
    const publicKey = await agent.generate('successor', '-t', 'ecdsa', '-b', '256');
    const announce = (id: string, input: object) =>
      service.graphql(
        `mutation ($input: AnnounceSshCertificateAuthoritySuccessorInput!) {
          announceSshCertificateAuthoritySuccessor(input: $input) {
            sshCertificateAuthority { id publicKey signingAgent }
          }
        }`,
        { input: { id, ...input } },
      );
    const step = (name: string, id: string) =>
      service.graphql(`mutation { ${name}(input: { id: "${id}" }) { sshCertificateAuthority { state } } }`);
    expect((await announce(old.id, { signingAgent: 'files', keySize: 2048 })).errors?.[0]).toMatchObject({
      message: 'keySize: must be omitted with `signingAgent`: the key is there already.',
    });
    const next = dataOf(await announce(old.id, { signingAgent: 'files', key: publicKey }))
      .announceSshCertificateAuthoritySuccessor.sshCertificateAuthority;
    expect(next).toMatchObject({ publicKey, signingAgent: 'files' });
    dataOf(await step('handOverSshCertificateAuthority', old.id));
    const { body } = await sign(old.id);
    expect(body.ssh_certificate_authority_id).toBe(next.id);
    const back = dataOf(await announce(next.id, {})).announceSshCertificateAuthoritySuccessor.sshCertificateAuthority;
    expect(back).toMatchObject({ publicKey: expect.stringMatching(/^ecdsa-sha2-nistp256 /), signingAgent: null });
  });

  test('takes no signature of another key, or by a scheme that clients refuse, and waits for no answer that does not come', async () => {
    const publicKey = await agent.generate('lied-about', '-t', 'ed25519');
    const blob = Buffer.from(publicKey.split(' ')[1] ?? '', 'base64');
    const text = (value: Buffer | string) => Buffer.concat([length(value.length), Buffer.from(value)]);
    const length = (value: number) => Buffer.from(value.toString(16).padStart(8, '0'), 'hex');
    const framed = (...parts: Buffer[]) => text(Buffer.concat(parts));
    const listed = framed(Buffer.of(12), length(1), text(blob), text('a key'));
    const answers: Record<string, Buffer> = {
      garbage: framed(Buffer.of(14), text(Buffer.concat([text('ssh-ed25519'), text(Buffer.alloc(64, 1))]))),
      sha1: framed(Buffer.of(14), text(Buffer.concat([text('ssh-rsa'), text(Buffer.alloc(256, 1))]))),
      short: framed(Buffer.of(14), Buffer.of(0, 0)),
      long: length(2 ** 31),
      other: framed(Buffer.of(99)),
    };
    let answer: Buffer | null = null;
    const liar = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (request) => {
        if (request[4] === 11) socket.write(listed);
        else if (answer !== null) socket.write(answer);
      });
    });
    const { socket } = agentOf('liar');
    await new Promise<void>((resolve) => liar.listen(socket, resolve));
    try {
      for (const name of Object.keys(answers)) {
        answer = answers[name] ?? null;
        const { errors } = await add({ signingAgent: 'liar' });
        expect([name, errors?.[0]?.extensions.code]).toEqual([name, 'UNAVAILABLE']);
      }
      answer = null;
      const silent = createAgent(socket, 100);
      await expect(silent.sign(blob, Buffer.from('data'), 0)).rejects.toThrow('did not answer within 0.1 seconds');
      // For a while, it is not asked again.
      await expect(silent.list()).rejects.toThrow('does not answer');
    } finally {
      liar.close();
    }
  });

  const ofToken = 'signs with a key of a token that never leaves it, for a host that a client accepts';
  test.skipIf(softHsm === null)(softHsm === null ? `${ofToken} (skipped: no SoftHSM)` : ofToken, async () => {
    const { env, pin } = await makeToken(folder);
    const own = await startAgent(folder, 'hsm.sock', env);
    try {
      await own.add(['-s', softHsm ?? ''], pin);
      const { id, keyType, publicKey } = await added({ signingAgent: 'hsm', description: 'Hardware' });
      expect(keyType).toBe('ecdsa');
      service.setTime(new Date());
      const hostKey = await makeKey(folder, 'host', '-t', 'ed25519');
      const { body } = await service.rest('POST', '/ssh_host_certificates', {
        ssh_certificate_authority_id: id,
        public_key: readFileSync(`${hostKey}.pub`, 'utf8'),
        principals: ['db.example.com'],
      });
      expect(await shown(body.certificate)).toContain('(using ecdsa-sha2-nistp256)');
      // A host presents it, and a client that trusts the token's key accepts it.
      const files = { certificate: `${hostKey}-cert.pub`, trust: join(folder, 'known_hosts') };
      writeFileSync(files.certificate, `${body.certificate}\n`);
      writeFileSync(files.trust, `@cert-authority * ${publicKey}\n`);
      const sshd = await startSshd((port) => {
        const file = join(folder, `sshd-${port}`);
        const settings = [...sshdSettings(port), `HostKey ${hostKey}`, `HostCertificate ${files.certificate}`];
        writeFileSync(file, `${settings.join('\n')}\n`);
        return file;
      });
      expect(await judge(sshd.port, 'db.example.com', files.trust)).toMatchObject({ accepted: true });
      await sshd.stop();
    } finally {
      await own.stop();
      rmSync(own.socket, { force: true });
    }
  });
});
