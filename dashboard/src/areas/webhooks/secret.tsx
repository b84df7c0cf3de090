// Shows a new secret of a webhook, once.

import { Button } from '../../kit/button.tsx';
import { CopyField } from '../../kit/copy.tsx';
import { Dialog, DialogActions } from '../../kit/dialog.tsx';
import { Notice } from '../../kit/notice.tsx';

/** The dialog with a new secret. */
export function NewSecret({ secret, close }: { secret: string; close: () => void }) {
  return (
    <Dialog title="Copy the secret now" close={close} wide holds>
      <Notice tone="caution" title="It is shown this once.">
        The receiver verifies messages with it. Who has it can send messages that the receiver takes for ours.
      </Notice>
      <CopyField label="Secret" text={secret} />
      <DialogActions>
        <Button look="primary" onPress={close}>
          I have kept it
        </Button>
      </DialogActions>
    </Dialog>
  );
}
