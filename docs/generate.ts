// Writes the documentation pages that are generated from the code. Run with: npm run generate:docs

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCatalogue } from '../src/domain/error-catalogue.ts';
import { statusOf } from '../src/domain/error-status.ts';
import { cliPage } from './cli-page.ts';

/** The generated pages, by their path under `docs`. */
export const generatedPages: Record<string, () => string> = { 'cli.md': cliPage, 'errors.md': errorsPage };

function errorsPage(): string {
  const codes = Object.keys(errorCatalogue) as (keyof typeof errorCatalogue)[];
  const rows = codes.map((code) => {
    const { meaning, remedy } = errorCatalogue[code];
    return `| \`${code}\` | ${statusOf[code]} | ${meaning} | ${remedy} |`;
  });
  return `# Errors

<!-- Written by docs/generate.ts from src/domain/error-catalogue.ts and src/domain/error-status.ts. -->

Both surfaces answer with the same codes. On GraphQL the code is \`extensions.code\` of an error, and \`extensions.field\`
names the input that caused it. On REST every answer outside 2xx has this body:

\`\`\`json
{
  "error_code": "INVALID_INPUT",
  "status_code": 400,
  "msg": "cidr: must have a mask; for this one address write 10.0.0.1/32.",
  "details": { "operation_id": "op_01m7xehb24efe8sfxqfz0dt6w9", "field": "cidr" }
}
\`\`\`

\`details.operation_id\` equals the header \`X-Request-Id\`, which every answer carries on both surfaces. The server's log
has the cause of an \`INTERNAL\` or \`UNAVAILABLE\` error under this id. While connections to the database are lost, or it takes no
writes, the log has each cause once a minute, and \`alike\` counts the failures in between.

| Code | REST status | Meaning | What to do |
|---|---|---|---|
${rows.join('\n')}
`;
}

if (process.argv[1] === import.meta.filename) {
  for (const [path, page] of Object.entries(generatedPages)) writeFileSync(join(import.meta.dirname, path), page());
}
