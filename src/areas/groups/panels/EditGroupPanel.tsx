import { zodResolver } from '@hookform/resolvers/zod';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { updateGroup } from '../../../api/generated/sdk.gen.ts';
import type { GroupInfo, UserGroupEntityVm } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import type { Tagged } from '../../../api/tagged.ts';
import { useWrite } from '../../../api/write.ts';
import { inOrder, readGroup } from '../../../directory/groups.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { EffectsPreview } from '../matrix/EffectsPreview.tsx';
import { changesOf, groupSchema, mergeGroup, theirChanges, valuesOf } from '../model/group-form.ts';
import type { GroupValues } from '../model/group-form.ts';
import { GroupFields } from '../pages/GroupFields.tsx';
import { useEffects } from '../matrix/use-effects.ts';
import { useWords } from '../model/words.ts';

interface EditGroupPanelProps {
  /** The group as it was when editing began: newer readings must not move the entity tag under the typing. */
  start: Tagged<UserGroupEntityVm>;
  onClose: (saved: boolean) => Promise<void>;
}

interface Save {
  body: GroupInfo;
  etag: string | undefined;
}

const isStale = (error: unknown): boolean => error instanceof ServiceError && error.status === 412;

/** Changes a group and says before who gains and loses by it. Where somebody was quicker, both changes are joined. */
export function EditGroupPanel({ start, onClose }: EditGroupPanelProps) {
  const router = useRouter();
  const { reason } = useAllowed('updateGroup');
  const [base, setBase] = useState(start);
  const [theirs, setTheirs] = useState<string>();
  const [unread, setUnread] = useState<ServiceError | null>(null);
  const groupId = start.data.id;
  const save = useWrite('updateGroup', {
    mutationFn: ({ body, etag }: Save) =>
      updateGroup({ path: { groupId }, body, ...(etag !== undefined && { headers: { 'If-Match': etag } }) }),
  });
  const failure = useWords(isStale(save.error) ? unread : save.error);
  const before = valuesOf(base.data);
  const form = useForm({ resolver: zodResolver(groupSchema), defaultValues: before });
  const { isDirty, isSubmitting } = form.formState;
  useUnsavedGuard(isDirty);
  const after = inOrder(useWatch({ control: form.control, name: 'capabilities' }));
  const preview = useEffects({ groupId, before: before.capabilities, after });

  const meetTheirs = async (mine: GroupValues) => {
    const found = await readGroup(groupId);
    const saved = valuesOf(found.data);
    const merged = mergeGroup({ base: before, mine, theirs: saved });
    setTheirs(theirChanges(before, saved));
    setBase(found);
    form.reset(saved);
    form.setValue('name', merged.name, { shouldDirty: true });
    form.setValue('description', merged.description, { shouldDirty: true });
    form.setValue('capabilities', merged.capabilities, { shouldDirty: true });
  };

  const submit = async (values: GroupValues) => {
    const body = changesOf(before, values);
    if (Object.keys(body).length === 0) return onClose(false);
    setUnread(null);
    try {
      await save.mutateAsync({ body, etag: base.etag });
    } catch (thrown) {
      if (isStale(thrown)) await meetTheirs(values).catch((why: unknown) => setUnread(toServiceError(why)));
      return undefined;
    }
    toast({ title: `${values.name.trim()} was saved` });
    await onClose(true);
    // The name stands in the title and the breadcrumb, which the loader tells.
    return router.invalidate();
  };

  return (
    <Panel title={`Edit ${start.data.name}`} onClose={() => void onClose(false)}>
      <Form
        form={form}
        pending={isSubmitting}
        error={failure}
        submit={theirs === undefined ? 'Save' : 'Save both'}
        disabledReason={reason}
        onCancel={() => void onClose(false)}
        onSubmit={submit}
      >
        {theirs !== undefined && (
          <Banner tone="warn" title="Somebody else changed this group while you were typing">
            They changed {theirs}. Nothing of yours is saved yet. What you typed stands below, together with
            their changes; where both of you wrote another name or description, yours stands. Look at it, then
            save.
          </Banner>
        )}
        <GroupFields control={form.control} before={before.capabilities} />
        {after.join() !== before.capabilities.join() && (
          // Wherever one is among the capabilities, what they change is in view.
          <div className="effects-dock">
            {/* A stop of its own lets the keyboard scroll a long list. */}
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
            <section className="effects-scroll" aria-label="Who gains and loses" tabIndex={0}>
              <EffectsPreview {...preview} />
            </section>
          </div>
        )}
      </Form>
    </Panel>
  );
}
