// What messages and pages recommend to run, to set or to open is a remedy of `src/domain/remedies.ts`, each of which a test runs.
// Everything else that looks like one is described here, with the reason.

import { expect, test } from 'vitest';
import { leafCommands } from '../../docs/cli-page.ts';
import { variableNames } from '../../src/config.ts';
import { filesBelow, read } from '../support/source-files.ts';

const groups = [...new Set([...leafCommands()].map(([path]) => path.split(' ')[1]))];
const ourCommands = new RegExp(`\\bsallyport (${groups.join('|')})\\b`);
const otherCommands =
  /\b(chmod \d|chown \w|openssl (rand|x509|pkcs8)|npm (run|ci|start)|systemctl|sudo |curl -|curl \$|ssh-keygen -|nginx -s|nft -f|sshd -t)\b/;
/** Also those that are in no sentence with "set"; names without "_" are words of their own, such as HOST. */
const settings = new RegExp(
  `\\b(${variableNames.filter((name) => name.includes('_')).join('|')})\\b|` +
    `\\b([Ss]et|[Ll]et|[Cc]heck|[Aa]dd|to) (a )?(${variableNames.join('|')})\\b`,
);
const addresses = /https?:\/\/[\w-]+(\.[\w-]+)+/;
const forms = [ourCommands, otherCommands, settings, addresses];

/** What recommends nothing to an operator who has a problem: it shows, defines or describes, or tests of its own run it. */
const described = [
  // Identifiers that are written as URLs, and where the form of a scalar is specified.
  /https?:\/\/(www\.w3\.org|json-schema\.org|adaptivecards\.io|schemas\.(microsoft|xmlsoap|openid)\.(com|org|net))\/|specifiedByURL: 'https:\/\/www\.rfc-editor\.org/,
  // Examples of a value, and the address in a template of the user's own proxy.
  /(such as|placeholder=)[ `"]+https:\/\/(app|idp|sallyport)\.example\.com|'http:\/\/127\.0\.0\.1:4000'/,
  // The definitions of the settings.
  /^src\/config\.ts: (([A-Z_]+|\w+: data\.[A-Z_]+)(:|,| \?\?)|const environment|if \(\(?given\.(WORKERS|SMTP_URL|TRAIL_SHIP_SYSLOG_CA)|data\.TRAIL_SHIP_FILE === null|.*TRAIL_SHIP_SYSLOG(_CA'\], message|, too, with)|syslog: data\.|const \[set, missing\]|for \(const name of)/,
  // Those of the standard, and what is wrong with their values.
  /^src\/outgoing\/shipping\/otel-variables\.ts: (OTEL_|.*(given|readPairs|'must be|=== 'OTEL_))/,
  // The problem, beside its remedy.
  /TRUST_PROXY is not set/,
  // What a check, a gauge, an option or a line of the start is about.
  /Events? (that have become )?older than AUDIT_DAYS|than AUDIT_DAYS and|as in DATABASE_URL|\(BASE_URL\)/i,
  // The help of a command: the tests of the command line run what it says, and its example.
  /^src\/cli\/(program|database)\.ts: .*(\$ sallyport|Stop the server first)/,
  /^src\/cli\/export\.ts: 'export .* --reload /,
  /^src\/areas\/ssh\/authorities\/succession-commands\.ts: .*sshca_01m7\.\.\./,
  // What is hashed, not shown.
  /^src\/storage\/keys\/secrets\.ts: .*\.update\('sallyport key id'\)/,
  // The first steps, which the test of the first hour takes; in a clone, before it is built.
  /^src\/cli\/first-start\.ts: .*(\$BOOTSTRAP_API_KEY|curl |in a clone: npm run cli)/,
  /^src\/surfaces\/dashboard\/pages\.ts: .*Run "npm run build"/,
  // What a value looks like, or how a program reads a file: the tests of keys, signatures and revocation lists use it.
  /as `ssh-keygen -l` shows it|`ssh-keygen -Y sign( -n sallyport-(enroll|renew))?` prints|-Q -l -f<\/code> read it|# Load it with "nft -f"/,
  // How a certificate is installed and a script fetched, which the tests with sshd do; and the call of the example shown.
  /^dashboard\/src\/(areas\/ssh\/(certificate|client-lines)\.tsx: `(sshd -t|curl -fsS)|kit\/call\.tsx: `curl -X)/,
];

test('no message recommends anything else', () => {
  const isComment = (line: string) => /^\s*(\/\/|\/?\*|\{\/\*)/.test(line);
  const found = [
    ...filesBelow('src', '.ts'),
    ...filesBelow('dashboard/src', '.ts'),
    ...filesBelow('dashboard/src', '.tsx'),
  ]
    .filter((path) => !/(domain\/remedies|client\/commands)\.ts$/.test(path))
    .flatMap((path) =>
      read(path)
        .split('\n')
        .filter((line) => !isComment(line) && forms.some((form) => form.test(line.replace(/\$\{remedies\.\w+/g, ''))))
        .map((line) => `${path}: ${line.trim()}`),
    );
  expect(found.filter((line) => !described.some((form) => form.test(line)))).toEqual([]);
});
