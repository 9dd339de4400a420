import { toServiceError, UnknownOutcomeError } from '../../api/errors.ts';
import { toast } from '../../ui/toast.ts';

interface UndoableChange {
  /** Says what was done. */
  title: string;
  /** What was changed, for the message of a refusal: a person, a group, the settings. */
  subject: string;
  /** Says that it was undone. */
  undone: string;
  /**
   * Reads the version of what was changed: at once, and again before it is reverted. Absent where `revert` refuses by itself
   * what someone else has changed.
   */
  readVersion?: () => Promise<string | undefined>;
  /** Reverts the change. It sends the version as `If-Match` where the operation takes one. */
  revert: (ifMatch: { headers?: { 'If-Match': string } }) => Promise<unknown>;
}

const PRECONDITION_FAILED = 412;

/**
 * Shows that a change was made, with a button that undoes it. It is refused if someone else has changed the same thing since, or if the
 * version after the change could not be read: reverting could then overwrite what someone else did.
 */
export function toastUndoable({ title, subject, undone, readVersion, revert }: UndoableChange): void {
  const version = readVersion?.().catch(() => undefined);
  const refuse = (description: string, outcome = 'Not undone') =>
    toast({ tone: 'bad', title: `${outcome}: ${subject}`, description });
  const undo = async () => {
    const tag = await version;
    if (readVersion && (tag === undefined || (await readVersion()) !== tag)) {
      refuse('Someone else has changed it since. Nothing was sent.');
      return;
    }
    await revert(tag === undefined ? {} : { headers: { 'If-Match': tag } });
    toast({ title: undone });
  };
  toast({
    title,
    action: {
      label: 'Undo',
      onSelect: () =>
        void undo().catch((thrown: unknown) => {
          const error = toServiceError(thrown);
          const { status, message } = error;
          refuse(
            status === PRECONDITION_FAILED
              ? 'Someone else has changed it since. Nothing was stored.'
              : `${message.replace(/\.$/, '')}.`,
            error instanceof UnknownOutcomeError ? 'Possibly undone' : undefined,
          );
        }),
    },
  });
}
