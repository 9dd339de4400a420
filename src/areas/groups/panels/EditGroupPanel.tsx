import { zodResolver } from '@hookform/resolvers/zod';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import type { GroupInfo, UserGroupEntityVm } from '../../../../contract/generated/types.gen.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import type { WithEtag } from '../../../api/etag.ts';
import { updateGroup } from '../../../api/generated/sdk/groups.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { ConflictBanner } from '../../../app/freshness/ConflictBanner.tsx';
import { toastUndoable } from '../../../app/state/undo.ts';
import { sortCapabilities, readGroup } from '../../../directory/groups.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { EffectsPreview } from '../effects/EffectsPreview.tsx';
import { useEffects } from '../effects/EffectsPreview.tsx';
import {
  getGroupChanges,
  groupSchema,
  mergeGroup,
  formatTheirChanges,
  toGroupValues,
} from '../model/group-form.ts';
import type { GroupValues } from '../model/group-form.ts';
import { useGroupWriteError } from '../model/write-errors.ts';
import { GroupFields } from './GroupFields.tsx';

interface EditGroupPanelProps {
  /** The group when editing began: later reads must not change the ETag while the user types. */
  start: WithEtag<UserGroupEntityVm>;
  onClose: (saved: boolean) => Promise<void>;
}

interface SaveRequest {
  body: GroupInfo;
  etag: string | undefined;
}

const isStale = (error: unknown): boolean => error instanceof ServiceError && error.status === 412;

/** Panel that edits a group and previews the effect on members. Concurrent changes are merged. */
export function EditGroupPanel({ start, onClose }: EditGroupPanelProps) {
  const router = useRouter();
  const { reason } = usePermission('updateGroup');
  const [base, setBase] = useState(start);
  const [theirs, setTheirs] = useState<string>();
  const [reloadError, setReloadError] = useState<ServiceError | null>(null);
  const groupId = start.data.id;
  const save = useWrite('updateGroup', {
    mutationFn: ({ body, etag }: SaveRequest) =>
      updateGroup({ path: { groupId }, body, ...(etag !== undefined && { headers: { 'If-Match': etag } }) }),
  });
  const failure = useGroupWriteError(isStale(save.error) ? reloadError : save.error);
  const before = toGroupValues(base.data);
  const form = useForm({ resolver: zodResolver(groupSchema), defaultValues: before });
  const { isDirty, isSubmitting } = form.formState;
  useUnsavedGuard(isDirty);
  const after = sortCapabilities(useWatch({ control: form.control, name: 'capabilities' }));
  const preview = useEffects({ groupId, before: before.capabilities, after });

  const mergeTheirs = async (mine: GroupValues) => {
    const found = await readGroup(groupId);
    const saved = toGroupValues(found.data);
    const merged = mergeGroup({ base: before, mine, theirs: saved });
    setTheirs(formatTheirChanges(before, saved));
    setBase(found);
    form.reset(saved);
    form.setValue('name', merged.name, { shouldDirty: true });
    form.setValue('description', merged.description, { shouldDirty: true });
    form.setValue('capabilities', merged.capabilities, { shouldDirty: true });
  };

  const submit = async (values: GroupValues) => {
    const body = getGroupChanges(before, values);
    if (Object.keys(body).length === 0) return onClose(false);
    setReloadError(null);
    try {
      await save.mutateAsync({ body, etag: base.etag });
    } catch (thrown) {
      if (isStale(thrown))
        await mergeTheirs(values).catch((why: unknown) => setReloadError(toServiceError(why)));
      return undefined;
    }
    toastUndoable({
      title: `${values.name.trim()} was saved`,
      subject: values.name.trim(),
      undone: `The changes of ${values.name.trim()} were undone`,
      readVersion: async () => (await readGroup(groupId)).etag,
      revert: async ({ headers }) => {
        await save.mutateAsync({ body: getGroupChanges(values, before), etag: headers?.['If-Match'] });
        await router.invalidate();
      },
    });
    await onClose(true);
    // Title and breadcrumb show the name, which the loader reads.
    return router.invalidate();
  };

  return (
    <Panel title={`Edit ${start.data.name}`} onClose={() => void onClose(false)}>
      <Form
        form={form}
        pending={isSubmitting}
        error={failure}
        submitLabel={theirs === undefined ? 'Save' : 'Save both'}
        disabledReason={reason}
        onCancel={() => void onClose(false)}
        onSubmit={submit}
      >
        {theirs !== undefined && (
          <ConflictBanner action="group.update" subjectType="group" subjectId={groupId} what="this group">
            They changed {theirs}. Your changes are not saved yet. The form contains both; where both of you
            changed the name or the description, it contains your value. Review it, then save.
          </ConflictBanner>
        )}
        <GroupFields control={form.control} before={before.capabilities} />
        {after.join() !== before.capabilities.join() && (
          // Docked, so that it stays visible while scrolling through capabilities.
          <div className="effects-dock">
            {/* Focusable, so that a long list can be scrolled by keyboard. */}
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
            <section className="effects-scroll" aria-label="Effect on members" tabIndex={0}>
              <EffectsPreview {...preview} />
            </section>
          </div>
        )}
      </Form>
    </Panel>
  );
}
