import { nameOf } from '../client/kinds.ts';
import { useViewer } from '../client/rights.ts';

/** The signed-in account and its key. */
export function AccountName() {
  const { account, apiKey } = useViewer();
  return (
    <>
      <b>{account.name}</b>
      <small>{nameOf(apiKey)}</small>
    </>
  );
}
