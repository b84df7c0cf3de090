// What the forms of sign-in providers have in common, whatever the protocol.

import type { Problem } from '../../client/problem.ts';
import { LinesField, Switch, sentLines } from '../../kit/fields.tsx';
import { lineErrorOf } from '../../kit/form.tsx';
import { linesOf, mappingsError, mappingsHint, mappingsOf } from './mappings.ts';
import type { SignInProviderQuery } from './people.generated.ts';

/** A sign-in provider, as its page reads it. */
export type Provider = NonNullable<SignInProviderQuery['signInProvider']>;

/** The values of the common fields. A type rather than an interface, because interfaces have no implicit index signature. */
type ProviderValues = {
  readonly enabled: boolean;
  readonly refusesKeys: boolean;
  readonly roleMappings: readonly string[];
  readonly authorizedEmailDomains: readonly string[];
};

interface ProviderFieldProps {
  /** The form, which has further fields. */
  readonly draft: { readonly values: ProviderValues } & { set(changes: Partial<ProviderValues>): void };
  readonly problem: Problem | null;
  readonly canWrite: boolean;
}

/** The names of the common fields, and of the notes. */
export const providerTitles = {
  enabled: 'People sign in here',
  refusesKeys: 'Instead of API keys',
  roleMappings: 'Roles',
  authorizedEmailDomains: 'Domains let in',
  description: 'Description',
  metadata: 'Metadata',
} as const;

/** Returns the values of the common fields, lists as lines. */
export function providerValues(provider: Provider): ProviderValues {
  const { enabled, refusesKeys, roleMappings, authorizedEmailDomains } = provider;
  return { enabled, refusesKeys, roleMappings: linesOf(roleMappings), authorizedEmailDomains };
}

/** Returns the lists of a change as they are sent: those that have changed. */
export function sentLists({ roleMappings, authorizedEmailDomains }: Partial<ProviderValues>) {
  return {
    ...(roleMappings && { roleMappings: mappingsOf(roleMappings) ?? [] }),
    ...(authorizedEmailDomains && { authorizedEmailDomains: sentLines(authorizedEmailDomains) }),
  };
}

/** Returns whether a line is no mapping, which its field says. */
export const isWrongProvider = ({ roleMappings }: ProviderValues): boolean => mappingsError(roleMappings) !== null;

/**
 * The fields for whether people sign in, and who gets which role.
 *
 * @param enabledHint what switching it does
 */
export function EntryFields({
  draft,
  problem,
  canWrite,
  enabledHint,
}: ProviderFieldProps & { readonly enabledHint: string }) {
  const { enabled, refusesKeys, roleMappings } = draft.values;
  return (
    <>
      <Switch
        label={providerTitles.enabled}
        hint={enabledHint}
        value={enabled}
        onChange={(value) => draft.set({ enabled: value })}
        isDisabled={!canWrite}
      />
      <Switch
        label={providerTitles.refusesKeys}
        hint="No API key signs in to the dashboard any more. Keys go on over the API."
        value={refusesKeys}
        onChange={(value) => draft.set({ refusesKeys: value })}
        isDisabled={!canWrite}
      />
      <LinesField
        label={providerTitles.roleMappings}
        mono
        value={roleMappings}
        onChange={(value) => draft.set({ roleMappings: value })}
        hint={mappingsHint}
        error={mappingsError(roleMappings) ?? lineErrorOf(problem, 'roleMappings', roleMappings)}
        isDisabled={!canWrite}
      />
    </>
  );
}

/** The field for the domains whose addresses are let in. */
export function DomainsField({ draft, problem, canWrite }: ProviderFieldProps) {
  const { authorizedEmailDomains } = draft.values;
  return (
    <LinesField
      label={providerTitles.authorizedEmailDomains}
      mono
      value={authorizedEmailDomains}
      onChange={(value) => draft.set({ authorizedEmailDomains: value })}
      hint="Domains of e-mail addresses, one on each line; none lets in all."
      error={lineErrorOf(problem, 'authorizedEmailDomains', authorizedEmailDomains)}
      isDisabled={!canWrite}
    />
  );
}
