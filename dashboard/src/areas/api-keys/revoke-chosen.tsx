// Revokes the chosen keys.

import { commands } from '../../client/commands.ts';
import type { Chosen } from '../../kit/selection.tsx';
import { count } from '../../kit/words.ts';
import { EndChosen } from '../../trail/end-chosen.tsx';
import { RevokeApiKeysDocument } from './api-keys.generated.ts';

/** The button that revokes the chosen keys, with its question. */
export default function RevokeChosen(rows: Chosen<{ readonly id: string }>) {
  return (
    <EndChosen
      {...rows}
      label="Revoke"
      document={RevokeApiKeysDocument}
      kinds={['ApiKey', 'DashboardSession']}
      variables={(keys, force) => ({ input: { objects: keys.map(({ id }) => ({ id })), ...(force && { force }) } })}
      question={(keys) => ({
        title: `Revoke ${count(keys.length, 'key')}?`,
        action: 'Revoke them',
        text: 'Whatever uses them is refused from then on, and who has signed in with them is signed out. This cannot be undone: new keys would have to be made.',
        wayBack: commands.createKey,
      })}
      said={(keys) => `${count(keys.length, 'key')} revoked.`}
    />
  );
}
