import { nameOf } from '../client/kinds.ts';
import { useViewer } from '../client/rights.ts';

/** The signed-in account, and the person or the key that signed in. */
export function AccountName() {
  const { account, apiKey, person } = useViewer();
  return (
    <>
      <b>{account.name}</b>
      <small>{person?.displayName ?? (apiKey && nameOf(apiKey))}</small>
    </>
  );
}
