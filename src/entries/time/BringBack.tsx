import { Undo2 } from 'lucide-react';
import { restoreEntries } from '../../api/generated/sdk.gen.ts';
import type { EntryTypeVm } from '../../api/generated/types.gen.ts';
import { useAllowed } from '../../api/session.ts';
import { useWrite } from '../../api/write.ts';
import { Button } from '../../ui/button/Button.tsx';
import { confirm } from '../../ui/dialog/confirm.ts';
import { toast } from '../../ui/feedback/toast.ts';

interface BringBackProps {
  type: EntryTypeVm;
  entry: { id: number; name: string };
  /** The entry that it went into; undefined: it was deleted. */
  into: string | undefined;
}

/** Whether this person brings deleted entries back. */
export const useBringsBack = (): boolean => {
  const { allowed } = useAllowed('restoreEntries');
  const { allowed: writes } = useAllowed('updateEntries');
  return allowed && writes;
};

/** An administrator brings an entry back, with its id and its history. */
export function BringBack({ type, entry, into }: BringBackProps) {
  const restoring = useWrite('restoreEntries', {
    mutationFn: () => restoreEntries({ path: { entryTypeId: String(type.id) }, body: [entry.id] }),
  });
  const ask = async () => {
    const done = await confirm({
      title: `Bring ${entry.name} back?`,
      body:
        into === undefined
          ? 'It comes back with its id, its history and what it held. What referred to it before does not do so again, and fields that were deleted since stay gone.'
          : `It comes back with its id, its history and what it held, and ${into} stays as it is. What referred to it goes on referring to ${into}.`,
      action: 'Bring it back',
      async run() {
        const { data } = await restoring.mutateAsync(undefined);
        if (data.restored.length === 0) throw new Error('It is not deleted any more');
      },
    });
    if (done) toast({ title: `${entry.name} is back`, tone: 'ok' });
  };
  return (
    <Button size="small" icon={Undo2} onClick={() => void ask()}>
      Bring it back
    </Button>
  );
}
