// The settings that login modules of both protocols have in common, as GraphQL inputs.

import { enabledInput } from '../../graphql/kit/module-inputs.ts';
import type { InputBuilder } from '../../graphql/kit/resource.ts';
import { authorizedGroupsMax, cookiePrefixCharactersMax, cookiePrefixDefault } from './rules.ts';

/** Returns the input fields for the settings that each login module has. */
export function loginModuleInput(t: InputBuilder) {
  return {
    ...enabledInput(t),
    optionsPassthrough: t.boolean({
      description: 'Whether OPTIONS requests pass without a login, as CORS requires; defaults to false.',
      extensions: { configured: { default: false } },
    }),
    cookiePrefix: t.string({
      description:
        `What the name of the session cookie begins with, after "__Host-": at most ${cookiePrefixCharactersMax} letters, ` +
        `digits, ".", "_" and "-"; defaults to "${cookiePrefixDefault}".`,
      extensions: { configured: { default: cookiePrefixDefault } },
    }),
    inactivityTimeout: t.field({
      type: 'UInt32',
      description: 'Seconds of inactivity after which users must log in again; defaults to 0, no limit.',
      extensions: { configured: { default: 0 } },
    }),
    maximumDuration: t.field({
      type: 'UInt32',
      description: 'Seconds after which users must log in again, even if active; defaults to 0, no limit.',
      extensions: { configured: { default: 0 } },
    }),
    authorizedGroups: t.stringList({
      description: `The groups whose members are allowed; at most ${authorizedGroupsMax}. Defaults to none, which allows everybody who can log in.`,
      extensions: { jsonSchema: { maxItems: authorizedGroupsMax }, configured: { default: [] } },
    }),
  };
}
