// Whose registration at the identity provider a login uses: its own, or that of another route with the same protocol.

import { SelectField } from '../../kit/fields.tsx';
import { useRoutesWithLogin } from './routes-with-login.ts';

interface RegistrationFieldProps {
  readonly protocol: 'saml' | 'oidc';
  /** The route of the login. */
  readonly routeId: string;
  /** The route whose registration is used; null for its own. */
  readonly value: string | null;
  readonly onChange: (loginRouteId: string | null) => void;
  readonly error: string | null;
  readonly isDisabled: boolean;
}

/** A choice of registrations; nothing where there is only its own. */
export function RegistrationField({ protocol, routeId, value, onChange, error, isDisabled }: RegistrationFieldProps) {
  const { routes } = useRoutesWithLogin();
  const others = routes.filter((route) => route.value !== routeId && route[protocol]?.loginRouteId === null);
  if (value === null && others.length === 0) return null;
  const isListed = value === null || others.some((route) => route.value === value);
  const options = [{ value: '', title: 'One of its own' }, ...others, ...(isListed ? [] : [{ value, title: value }])];
  return (
    <SelectField
      label="Registration"
      value={value ?? ''}
      onChange={(chosen) => onChange(chosen === '' ? null : chosen)}
      options={options}
      hint="With that of another route, nothing has to be set up at the identity provider for this one."
      error={error}
      isDisabled={isDisabled}
    />
  );
}
