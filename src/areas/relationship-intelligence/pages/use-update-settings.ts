import type { RelationshipSettingsInfo } from '../../../../contract/generated/types.gen.ts';
import { updateRelationshipSettingsMutation } from '../../../api/generated/queries/relationship-intelligence.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toast } from '../../../ui/toast.ts';

/** Saves single settings of Relationship Intelligence; `done` is shown afterwards, errors always are. */
export function useUpdateSettings() {
  const { reason } = usePermission('updateRelationshipSettings');
  const update = useWrite('updateRelationshipSettings', updateRelationshipSettingsMutation());
  const save = (body: RelationshipSettingsInfo, done?: string, onSaved?: () => void) =>
    update.mutate(
      { body },
      {
        onSuccess() {
          onSaved?.();
          if (done !== undefined) toast({ title: done });
        },
        onError: ({ message, fields }) =>
          toast({ tone: 'bad', title: message, description: fields.map((one) => one.message).join(' ') }),
      },
    );
  return { save, reason, isPending: update.isPending };
}
