import { confirm } from '../../../ui/dialog/confirm.ts';

/** Asks before codes go that are not shown again; the button under them says that they are kept. */
export const mayCloseCodes = (): Promise<boolean> =>
  confirm({
    title: 'Close without keeping the codes?',
    body: 'They are not shown again. Without them and without the second factor, only an administrator lets you in again. You can make new ones.',
    action: 'Close',
    cancel: 'Go back to the codes',
    danger: true,
  });

/** The same for the secret of an API key. */
export const mayCloseSecret = (): Promise<boolean> =>
  confirm({
    title: 'Close without copying the secret?',
    body: 'It is never shown again. Without it the key is of no use, and has to be turned off for good before you can have another one.',
    action: 'Close',
    cancel: 'Go back to the secret',
    danger: true,
  });
