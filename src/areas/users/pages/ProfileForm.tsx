import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import type { UseFormReturn } from 'react-hook-form';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { updateUser } from '../../../api/generated/sdk.gen.ts';
import type { UserInfo, UserInfoResponse } from '../../../api/generated/types.gen.ts';
import { useSession } from '../../../api/session.ts';
import type { Tagged } from '../../../api/tagged.ts';
import { useWrite } from '../../../api/write.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { confirmDiscard } from '../../../ui/dialog/confirm.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { Form, FormRow } from '../../../ui/form/Form.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { mergeFields } from '../model/merge.ts';
import {
  changesOf,
  otherChanges,
  PROFILE_FIELDS,
  profileOf,
  profileSchema,
  PROFILE_LABELS,
} from '../model/profile-fields.ts';
import type { ProfileValues, ProfileField } from '../model/profile-fields.ts';
import { fullName, readUser, userQuery } from '../model/user-query.ts';
import { useMounted } from './use-mounted.ts';
import { useWords } from '../model/words.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import type { Clash, Merged } from '../model/merge.ts';
import { usePersonName } from './use-person-name.ts';

interface ProfileFormProps {
  /** The user as they were when editing began: newer readings must not move the entity tag under the typing. */
  start: Tagged<UserInfoResponse>;
  onClose: () => Promise<void>;
}

interface Save {
  body: UserInfo;
  etag: string | undefined;
}

const isStale = (error: unknown): boolean => error instanceof ServiceError && error.status === 412;

/** The form stands as long as its address does: a link or Back may take that away on the same page. */
const withoutForm = (search: object) => !('edit' in search);

/** The profile in place of its card. Where somebody else was quicker, both versions are shown and nothing is lost. */
export function ProfileForm({ start, onClose }: ProfileFormProps) {
  const router = useRouter();
  const client = useQueryClient();
  const { site } = useSession();
  const [base, setBase] = useState(start);
  const [found, setFound] = useState<Found>();
  const save = useWrite('updateUser', {
    mutationFn: ({ body, etag }: Save) =>
      updateUser({ body, ...(etag !== undefined && { headers: { 'If-Match': etag } }) }),
  });
  const [unread, setUnread] = useState<ServiceError | null>(null);
  const failure = useWords(isStale(save.error) ? unread : save.error);
  const form = useForm({ resolver: zodResolver(profileSchema), defaultValues: profileOf(start.data) });
  const { isDirty, isSubmitting } = form.formState;
  useUnsavedGuard(isDirty, withoutForm);
  const mounted = useMounted();
  const federationOff = site.identityMode === 'identity-manager';

  const meetTheirs = async (mine: ProfileValues) => {
    const theirs = await readUser(base.data.id);
    const { clashes, taken } = mergeFields(PROFILE_FIELDS, {
      base: profileOf(base.data),
      mine,
      theirs: profileOf(theirs.data),
    });
    setFound({ clashes, taken, others: otherChanges(base.data, theirs.data), by: theirs.data.modifiedBy });
    setBase(theirs);
    // The page around the form shows the newer state at once.
    client.setQueryData(userQuery(theirs.data.id).queryKey, theirs);
    form.reset(profileOf(theirs.data));
    for (const field of PROFILE_FIELDS) {
      if (!taken.some((one) => one.field === field)) form.setValue(field, mine[field], { shouldDirty: true });
    }
  };

  const submit = async (values: ProfileValues) => {
    const changes = changesOf(profileOf(base.data), values);
    if (Object.keys(changes).length === 0) {
      await onClose();
      return;
    }
    setUnread(null);
    try {
      await save.mutateAsync({ body: { id: base.data.id, ...changes }, etag: base.etag });
    } catch (thrown) {
      if (isStale(thrown)) await meetTheirs(values).catch((why: unknown) => setUnread(toServiceError(why)));
      return;
    }
    toast({ title: `${fullName({ ...base.data, ...values })} was saved` });
    if (mounted()) await onClose();
    // The name stands in the title and the breadcrumb, which the loader tells.
    await router.invalidate();
  };

  const cancel = async () => {
    if (!isDirty || (await confirmDiscard())) await onClose();
  };

  return (
    <Card title="Profile">
      <div className="user-card-form">
        <Form
          form={form}
          pending={isSubmitting}
          error={failure}
          submit={found ? 'Save with these values' : 'Save'}
          onCancel={() => void cancel()}
          onSubmit={submit}
        >
          {found && <Conflict key={base.etag} form={form} found={found} />}
          <FormRow>
            <TextField control={form.control} name="firstName" label="First name" />
            <TextField control={form.control} name="lastName" label="Last name" />
          </FormRow>
          <TextField
            control={form.control}
            name="email"
            label="E-mail"
            type="email"
            hint="They sign in with it, here and on their other sites."
          />
          <TextField
            control={form.control}
            name="federationId"
            label="Federation id"
            optional
            hint="How an identity provider knows them. Empty if they sign in with a password."
            disabledReason={
              federationOff ? 'Without effect: an identity manager signs people in to this site.' : undefined
            }
          />
        </Form>
      </div>
    </Card>
  );
}

/** What somebody else had saved when we tried to. */
interface Found extends Merged<ProfileField> {
  others: readonly string[];
  by: number | null;
}

interface ConflictProps {
  form: UseFormReturn<ProfileValues>;
  found: Found;
}

const list = new Intl.ListFormat('en');

// What stands in the way of saving is read first.
const takeFocus = (notice: HTMLElement | null) => notice?.focus();

/** Their version beside mine, field by field; what is chosen stands in the form, and nothing is sent yet. */
function Conflict({ form, found: { clashes, taken, others, by } }: ConflictProps) {
  const who = usePersonName(by) ?? 'Somebody else';
  const choose = (field: ProfileField, value: string) =>
    form.setValue(field, value, { shouldDirty: true, shouldValidate: true });
  return (
    <div ref={takeFocus} tabIndex={-1} className="user-conflict">
      <Banner tone="warn" title={`${who} changed this user while you were typing`}>
        {clashes.length > 0 ? (
          <>
            Nothing of yours is saved yet, and nothing is lost. Choose which value to keep, then save.
            <table>
              <thead>
                <tr>
                  <th scope="col">Field</th>
                  <th scope="col">Theirs</th>
                  <th scope="col">Mine</th>
                </tr>
              </thead>
              <tbody>
                {clashes.map((clash) => (
                  <ClashRow key={clash.field} clash={clash} form={form} onChoose={choose} />
                ))}
              </tbody>
            </table>
            <Button size="small" onClick={() => clashes.forEach(({ field, mine }) => choose(field, mine))}>
              Keep all of mine
            </Button>
          </>
        ) : (
          'Nothing you typed is affected. Save again to keep it.'
        )}
        {taken.length > 0 && (
          <p>
            Taken over from them:{' '}
            {list.format(taken.map(({ field, theirs }) => `${PROFILE_LABELS[field]} “${theirs}”`))}.
          </p>
        )}
        {others.length > 0 && <p>Also changed: {list.format(others)}.</p>}
      </Banner>
    </div>
  );
}

interface ClashRowProps {
  clash: Clash<ProfileField>;
  form: UseFormReturn<ProfileValues>;
  onChoose: (field: ProfileField, value: string) => void;
}

function ClashRow({ clash: { field, theirs, mine }, form, onChoose }: ClashRowProps) {
  const value = useWatch({ control: form.control, name: field });
  const option = (side: string, own: string) => (
    <td>
      <label>
        <input
          type="radio"
          name={`conflict ${field}`}
          aria-label={`${PROFILE_LABELS[field]}, ${side}: ${own || 'empty'}`}
          checked={value === own}
          onChange={() => onChoose(field, own)}
        />
        <span>{own || 'empty'}</span>
      </label>
    </td>
  );
  return (
    <tr>
      <th scope="row">{PROFILE_LABELS[field]}</th>
      {option('theirs', theirs)}
      {option('mine', mine)}
    </tr>
  );
}
