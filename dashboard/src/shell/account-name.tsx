import { useViewer } from '../client/rights.ts';

/** Who one is. */
export function AccountName() {
  const { account, apiKey } = useViewer();
  return (
    <>
      <b>{account.name}</b>
      <small>{apiKey.description || apiKey.id}</small>
    </>
  );
}
