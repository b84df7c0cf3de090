// The check of `doctor` for host certificates whose hosts do not renew.

import { readTextList } from '../../../domain/values/decode.ts';
import { groupBy } from '../../../domain/values/group-by.ts';
import { dayMs } from '../../../domain/values/time.ts';
import { called, counted, listed } from '../../../domain/wording.ts';
import type { Check } from '../../../storage/engine.ts';
import { ok, warn } from '../../../storage/lifecycle/health.ts';
import type { ServerReads } from '../../../storage/objects/server-scope.ts';
import { sql } from '../../../storage/sql/statement.ts';
import { lateDaysMax, standingOf } from '../rules.ts';

/** Most certificates that are looked at: of those that have ended, the latest, and of those that expire, the first. */
const lookedMax = 1_000;

/** Looks for certificates that nothing has replaced: those that have ended, and those that expire soon and whose hosts are late. */
export async function checkStandings({ rows, decode }: ServerReads, now: Date): Promise<Check> {
  const name = 'certificates';
  const soon = new Date(now.getTime() + lateDaysMax * dayMs);
  const columns = sql`c."id", c."description", c."principals", c."validAfter", c."validUntil",
    c."sshCertificateAuthorityId", a."description" FROM "SshHostCertificate" c
    JOIN "SshCertificateAuthority" a ON a."id" = c."sshCertificateAuthorityId" WHERE c."replacedById" IS NULL`;
  const [past, future] = await Promise.all([
    rows(sql`SELECT ${columns} AND c."validUntil" <= ${now} ORDER BY c."validUntil" DESC, c."id" LIMIT ${lookedMax}`),
    rows(
      sql`SELECT ${columns} AND c."validUntil" > ${now} AND c."validUntil" <= ${soon}
        ORDER BY c."validUntil", c."id" LIMIT ${lookedMax}`,
    ),
  ]);
  const found = [...past, ...future].map((row) => {
    const [id, description, principals, validAfter, validUntil, authorityId, authorityDescription] = row;
    const times = { validAfter: decode.DateTime(validAfter), validUntil: decode.DateTime(validUntil) };
    const host = {
      id: String(id),
      description: String(description),
      principals: readTextList(decode.Json?.(principals) ?? principals),
    };
    const authority = { id: String(authorityId), description: String(authorityDescription) };
    return { name: called(host), authority, ...times, standing: standingOf(times, now) };
  });
  const [ended, late] = [
    found.filter((one) => one.standing === 'ended'),
    found.filter((one) => one.standing === 'late'),
  ];
  const within = `within ${lateDaysMax} days`;
  if (ended.length + late.length === 0) {
    return future.length === 0
      ? ok(name, `No host certificate has ended or expires ${within}.`)
      : ok(
          name,
          `${counted(future.length, 'host certificate')} expiring ${within}, none of them late: hosts renew in the last third of the time.`,
        );
  }
  const days = (one: { readonly validUntil: Date }) =>
    counted(Math.floor(Math.abs(one.validUntil.getTime() - now.getTime()) / dayMs), 'day');
  const parts = [
    [ended, 'ended and not replaced', (one: (typeof found)[number]) => `${one.name} ${days(one)} ago`],
    [late, `late, expiring ${within}`, (one: (typeof found)[number]) => `${one.name} in ${days(one)}`],
  ] as const;
  const said = parts
    .filter(([some]) => some.length > 0)
    .map(([some, what, nameOf]) => {
      const most = some.length === lookedMax ? 'at least ' : '';
      return `${most}${counted(some.length, 'host certificate')} ${what}: ${listed(some, nameOf)}`;
    });
  const byAuthority = [...groupBy([...ended, ...late], ({ authority }) => authority.id).values()]
    .flatMap((some) => some.slice(0, 1).map(({ authority }) => [authority, some] as const))
    .sort(([, one], [, other]) => other.length - one.length);
  const authorities = listed(byAuthority, ([authority, some]) => `${called(authority)} ${some.length}`);
  return warn(
    name,
    `${said.join('; ')}. By authority: ${authorities}.`,
    'Renew them; or enroll their hosts again, which replaces them. Delete those of hosts that are gone.',
  );
}
