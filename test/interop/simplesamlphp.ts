// SimpleSAMLphp as an identity provider, run by PHP's own web server.

import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, temporaryDirectory, until } from '../process/support.ts';
import { freePort } from '../support/free-port.ts';
import { makeIdpKey, persistent } from '../support/identity-provider.ts';

/** Where Debian's simplesamlphp, and php-cli with xml, mbstring and curl, are unpacked (`dpkg -x`) if they are not installed. */
const root = process.env.SIMPLESAMLPHP_ROOT ?? '';
const program = `${root}/usr/share/simplesamlphp`;
const php = ['php', 'php8.2', 'php8.3', 'php8.4'].map((name) => `${root}/usr/bin/${name}`).find(existsSync);
/** The environment that PHP needs if it does not find its own configuration. */
const environment = root === '' ? {} : { LD_LIBRARY_PATH: `${root}/usr/lib/x86_64-linux-gnu` };
const settings = [
  // Deprecation notices of newer PHP versions would be printed before the headers.
  ['display_errors', '0'],
  ['log_errors', '0'],
  // What a test configures counts at once.
  ['opcache.enable', '0'],
  ...(root === '' ? [] : [['extension_dir', `${root}/usr/lib/php/20220829`]]),
  ...(root === ''
    ? []
    : ['ctype', 'dom', 'xml', 'simplexml', 'mbstring', 'curl', 'posix', 'tokenizer', 'xmlwriter']
  ).map((name) => ['extension', name]),
].flatMap(([name, value]) => ['-d', `${name}=${value}`]);

/** Whether SimpleSAMLphp can run here. */
export const isInstalled = php !== undefined && existsSync(program);

/** A user of the identity provider. */
export const user = { name: 'amy', password: 'correct horse', groups: ['staff', 'admins'], mail: 'amy@example.com' };

/** How it answers, where that deviates from signing everything and encrypting nothing. */
type SimpleSamlPhpManner = Partial<
  Record<'assertion.encryption' | 'nameid.encryption' | 'saml20.sign.assertion' | 'saml20.sign.response', boolean>
>;

/**
 * Starts an identity provider.
 *
 * @param origin the scheme and host that browsers know it by
 * @returns its port, its metadata, a function that registers a service provider by its metadata, and one that changes how it answers
 */
export async function startSimpleSamlPhp(origin: string) {
  const directory = temporaryDirectory();
  const at = (name: string) => join(directory, name);
  for (const name of ['config', 'metadata', 'cert', 'data', 'tmp', 'log', 'sessions']) mkdirSync(at(name));
  const { privateKey, certificatePem: own } = makeIdpKey();
  writeFileSync(at('cert/idp.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(at('cert/idp.crt'), own);
  const write = (name: string, variable: string, value: unknown) =>
    writeFileSync(at(name), `<?php $${variable} = json_decode(${quoted(JSON.stringify(value))}, true);\n`);
  write('config/config.php', 'config', {
    baseurlpath: `${origin}/`,
    certdir: `${at('cert')}/`,
    loggingdir: `${at('log')}/`,
    datadir: `${at('data')}/`,
    tempdir: at('tmp'),
    metadatadir: at('metadata'),
    'metadata.sources': [{ type: 'flatfile' }],
    secretsalt: 'a salt for tests',
    'auth.adminpassword': 'none of this is public',
    technicalcontact_email: 'na@example.org',
    'enable.saml20-idp': true,
    // The places to which it may redirect browsers after a logout.
    'trusted.url.regex': true,
    'trusted.url.domains': ['[a-z]+\\.example\\.com'],
    'module.enable': { exampleauth: true, core: true, saml: true },
    'store.type': 'phpsession',
    'session.phpsession.savepath': at('sessions'),
    'session.cookie.secure': false,
    'session.cookie.samesite': null,
    'logging.handler': 'file',
    timezone: 'UTC',
    'language.default': 'en',
  });
  // The service provider's metadata says that requests are signed, so their signatures are checked.
  const provider = `['type' => 'xml', 'file' => ${quoted(at('metadata/sp.xml'))}]`;
  appendFileSync(
    at('config/config.php'),
    `if (file_exists(${quoted(at('metadata/sp.xml'))})) $config['metadata.sources'][] = ${provider};\n`,
  );
  const credentials = `${user.name}:${user.password}`;
  write('config/authsources.php', 'config', {
    users: { 0: 'exampleauth:UserPass', [credentials]: { uid: [user.name], groups: user.groups, mail: [user.mail] } },
  });
  const configure = (manner: SimpleSamlPhpManner) =>
    write('metadata/saml20-idp-hosted.php', 'metadata', {
      [`${origin}/idp`]: {
        host: '__DEFAULT__',
        auth: 'users',
        privatekey: 'idp.pem',
        certificate: 'idp.crt',
        'saml20.sign.assertion': true,
        'validate.logout': true,
        'sign.logout': true,
        authproc: { 10: { class: 'saml:AttributeNameID', attribute: 'uid', Format: persistent } },
        ...manner,
      },
    });
  configure({});
  const port = await freePort();
  run(php ?? '', [...(root === '' ? [] : ['-n']), ...settings, '-S', `127.0.0.1:${port}`, '-t', `${program}/www`], {
    ...environment,
    SIMPLESAMLPHP_CONFIG_DIR: at('config'),
  });
  let metadata = '';
  await until(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/saml2/idp/metadata.php`, {
      headers: { Host: new URL(origin).host },
    }).catch(() => null);
    metadata = (await answer?.text()) ?? '';
    return metadata.includes('EntityDescriptor');
  });
  const register = (serviceProviderMetadata: string) => writeFileSync(at('metadata/sp.xml'), serviceProviderMetadata);
  return { port, metadata, register, configure };
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
