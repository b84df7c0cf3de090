// The fields that logins of both protocols have in common.

import type { Problem } from '../../client/problem.ts';
import { LinesField, Switch, TextField } from '../../kit/fields.tsx';
import { errorOf, lineErrorOf } from '../../kit/form.tsx';
import { DurationField } from './duration-field.tsx';

/** The settings that each login has. */
export interface CommonLogin {
  readonly enabled: boolean;
  readonly authorizedGroups: readonly string[];
  readonly maximumDuration: number;
  readonly inactivityTimeout: number;
  readonly optionsPassthrough: boolean;
  readonly cookiePrefix: string;
}

/** What people call these settings. */
export const commonTitles = {
  enabled: 'Demand a login',
  authorizedGroups: 'Groups',
  maximumDuration: 'Longest session',
  inactivityTimeout: 'Longest pause',
  optionsPassthrough: 'Let OPTIONS pass',
  cookiePrefix: 'Prefix of cookies',
};

/** Returns the settings of a login; the API's defaults if there is none. */
export function commonOf(module: CommonLogin | null): CommonLogin {
  return {
    enabled: module?.enabled ?? true,
    authorizedGroups: module?.authorizedGroups ?? [],
    maximumDuration: module?.maximumDuration ?? 0,
    inactivityTimeout: module?.inactivityTimeout ?? 0,
    optionsPassthrough: module?.optionsPassthrough ?? false,
    cookiePrefix: module?.cookiePrefix ?? 'sallyport.',
  };
}

/** Returns settings as the body of a REST request has them. */
export function restBody(settings: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

interface Fields {
  readonly values: CommonLogin;
  readonly set: (changes: Partial<CommonLogin>) => void;
  readonly problem: Problem | null;
  readonly canWrite: boolean;
}

/** Who may come in. */
export function EntryFields({ values, set, problem, canWrite }: Fields) {
  return (
    <>
      <Switch
        label="Demand a login"
        hint={values.enabled ? '' : 'Switched off, the route is open to everybody.'}
        value={values.enabled}
        onChange={(enabled) => set({ enabled })}
        isDisabled={!canWrite}
      />
      <LinesField
        label="Groups"
        value={values.authorizedGroups}
        onChange={(authorizedGroups) => set({ authorizedGroups })}
        hint="One on each line, exactly as the identity provider sends them. Empty: everybody who can log in."
        error={lineErrorOf(problem, 'authorizedGroups', values.authorizedGroups)}
        isDisabled={!canWrite}
      />
    </>
  );
}

/** How long sessions last. */
export function SessionFields({ values, set, problem, canWrite }: Fields) {
  return (
    <>
      <DurationField
        label="Longest session"
        value={values.maximumDuration}
        onChange={(maximumDuration) => set({ maximumDuration })}
        hint="Then a login is needed again, and groups are read anew."
        error={errorOf(problem, 'maximumDuration')}
        isDisabled={!canWrite}
      />
      <DurationField
        label="Longest pause"
        value={values.inactivityTimeout}
        onChange={(inactivityTimeout) => set({ inactivityTimeout })}
        hint="Who has sent no request for this long logs in again."
        error={errorOf(problem, 'inactivityTimeout')}
        isDisabled={!canWrite}
      />
    </>
  );
}

/** What most applications leave as it is. */
export function SpecialFields({ values, set, problem, canWrite }: Fields) {
  return (
    <>
      <Switch
        label="Let OPTIONS pass without a login"
        hint="for scripts of other sites, whose browsers ask so first (CORS)"
        value={values.optionsPassthrough}
        onChange={(optionsPassthrough) => set({ optionsPassthrough })}
        isDisabled={!canWrite}
      />
      <TextField
        label="Prefix of cookies"
        mono
        value={values.cookiePrefix}
        onChange={(cookiePrefix) => set({ cookiePrefix })}
        hint="What names of session cookies begin with, after __Host-."
        error={errorOf(problem, 'cookiePrefix')}
        isDisabled={!canWrite}
      />
    </>
  );
}
