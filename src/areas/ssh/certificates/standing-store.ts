// The check of `doctor` for host certificates whose hosts do not renew.

import { readTextList } from '../../../domain/values/decode.ts';
import { groupBy } from '../../../domain/values/maps.ts';
import { dayMs } from '../../../domain/values/time.ts';
import { called, counted, listed, type Nameable } from '../../../domain/wording.ts';
import type { Check } from '../../../storage/engine.ts';
import { ok, warn } from '../../../storage/lifecycle/health.ts';
import { lookThrough, type ServerReads } from '../../../storage/objects/server-scope.ts';
import { type Sql, sifting, sql } from '../../../storage/sql/statement.ts';
import { lateDaysMax, standingOf } from '../rules.ts';

/** Most certificates that are counted: of those that have ended, the latest, and of those that expire, the first. */
const countedMax = 1_000;

interface Found {
  /** What messages call it. */
  readonly name: string;
  readonly authority: Nameable;
  readonly validUntil: Date;
}

/** Looks for certificates that nothing has replaced: those that have ended, and those that expire soon and whose hosts are late. */
export async function checkStandings(database: ServerReads, now: Date): Promise<Check> {
  const name = 'certificates';
  const soon = new Date(now.getTime() + lateDaysMax * dayMs);
  const authorityName = sql`(SELECT a."description" FROM "SshCertificateAuthority" a WHERE a."id" = "sshCertificateAuthorityId")`;
  const columns = sql`"id", "description", "principals", "validAfter", "validUntil", "sshCertificateAuthorityId", ${authorityName}`;
  const wanted = sifting(sql`"replacedById" IS NULL AND "validUntil" <= ${soon}`);
  const select = (inSlice: (column: string) => Sql) =>
    sql`SELECT ${columns} FROM "SshHostCertificate" WHERE ${inSlice('"id"')} AND ${wanted}`;
  let [ended, late]: [Found[], Found[]] = [[], []];
  let expiring = 0;
  for await (const rows of lookThrough(database, 'SshHostCertificate', select)) {
    for (const [id, description, stored, validAfter, validUntil, authorityId, authorityDescription] of rows) {
      const [begin, end] = [database.decode.DateTime(validAfter), database.decode.DateTime(validUntil)];
      const principals = readTextList(database.decode.Json?.(stored) ?? stored);
      const name = called({ id: String(id), description: String(description), principals });
      const authority = { id: String(authorityId), description: String(authorityDescription) };
      const one = { name, authority, validUntil: end };
      const standing = standingOf({ validAfter: begin, validUntil: end }, now);
      if (standing === 'ended') ended.push(one);
      else expiring += 1;
      if (standing === 'late') late.push(one);
    }
    ended = ended.sort((one, other) => other.validUntil.getTime() - one.validUntil.getTime()).slice(0, countedMax);
    late = late.sort((one, other) => one.validUntil.getTime() - other.validUntil.getTime()).slice(0, countedMax);
  }
  const within = `within ${lateDaysMax} days`;
  if (ended.length + late.length === 0) {
    return expiring === 0
      ? ok(name, `No host certificate has ended or expires ${within}.`)
      : ok(
          name,
          `${counted(expiring, 'host certificate')} expiring ${within}, none of them late: hosts renew in the last third of the time.`,
        );
  }
  const days = (one: { readonly validUntil: Date }) =>
    counted(Math.floor(Math.abs(one.validUntil.getTime() - now.getTime()) / dayMs), 'day');
  const parts = [
    [ended, 'ended and not replaced', (one: Found) => `${one.name} ${days(one)} ago`],
    [late, `late, expiring ${within}`, (one: Found) => `${one.name} in ${days(one)}`],
  ] as const;
  const said = parts
    .filter(([some]) => some.length > 0)
    .map(([some, what, nameOf]) => {
      const most = some.length === countedMax ? 'at least ' : '';
      return `${most}${counted(some.length, 'host certificate')} ${what}: ${listed(some, nameOf)}`;
    });
  const byAuthority = [...groupBy([...ended, ...late], ({ authority }) => authority.id).values()]
    .flatMap((some) => some.slice(0, 1).map(({ authority }) => [authority, some] as const))
    .sort(([, one], [, other]) => other.length - one.length);
  const authorities = listed(
    byAuthority,
    ([authority, some]) => `the authority ${called(authority)} has ${some.length}`,
  );
  return warn(
    name,
    `${said.join('; ')}. Of these, ${authorities}.`,
    'Renew them; or enroll their hosts again, which replaces them. Delete those of hosts that are gone.',
  );
}
