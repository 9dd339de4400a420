import { useQueryClient } from '@tanstack/react-query';
import {
  deleteBackupMutation,
  verifyBackupMutation,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import { useWrite } from '../../../api/write.ts';
import type { Backup } from '../download/list.ts';
import { isBeingMade } from '../download/list.ts';
import { sizeWords } from '../download/units.ts';
import { cancel, watchVerification } from '../download/watch.ts';
import { shortDate } from '../../../lib/dates.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { passOneWayDoor } from '../../../ui/dialog/one-way-door.tsx';
import { failureOf } from '../../../ui/feedback/failure.ts';
import { toast } from '../../../ui/feedback/toast.ts';

/** What can be done with a backup beside downloading it; each says what came of it. */
export function useActs() {
  const client = useQueryClient();
  const verification = useWrite('verifyBackup', verifyBackupMutation());
  const deletion = useWrite('deleteBackup', deleteBackupMutation());
  return {
    async verify({ fileName }: Backup): Promise<void> {
      try {
        await verification.mutateAsync({ path: { fileName } });
        void watchVerification(fileName, client);
        toast({ title: 'It is being verified', description: fileName, tone: 'info' });
      } catch (thrown) {
        const { message } = failureOf(thrown);
        toast({ title: `${fileName} is not verified`, description: message, tone: 'bad' });
      }
    },
    cancel: async ({ fileName }: Backup): Promise<void> => {
      await confirm({
        title: `Cancel ${fileName}?`,
        body: 'What was written so far is thrown away. It stays in the list as cancelled.',
        action: 'Cancel the backup',
        cancel: 'Let it go on',
        run: () => cancel(fileName, client),
      });
    },
    /** True once it is gone. */
    async remove(backup: Backup): Promise<boolean> {
      const { fileName } = backup;
      const agreed = await passOneWayDoor({
        title: `Delete ${fileName}?`,
        ...doorOf(backup),
        action: 'Delete the backup',
        typed: fileName,
        run: () => deletion.mutateAsync({ path: { fileName } }),
      });
      if (agreed) toast({ title: `${fileName} was deleted` });
      return agreed;
    },
  };
}

/** What lies behind the door. */
function doorOf(backup: Backup) {
  const { size, createdDate } = backup;
  const what = [
    ...(typeof size === 'number' ? [sizeWords(size)] : []),
    ...(createdDate === undefined ? [] : [`asked for ${shortDate(createdDate)}`]),
  ].join(', ');
  return {
    final: `This cannot be undone. The service keeps no copy${what === '' ? '' : ` (${what})`}.`,
    breaks: `What only this backup holds can then be restored from a downloaded file alone.${isBeingMade(backup) ? ' It is still being made, and is cancelled first.' : ''}`,
    affects:
      'Whoever manages backups of the site. Your name is kept with it, and the list of its downloads stays.',
  };
}
