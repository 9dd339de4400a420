import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import type { UseFormReturn } from 'react-hook-form';
import type { UserInfo, UserInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import type { WithEtag } from '../../../api/etag.ts';
import { updateUser } from '../../../api/generated/sdk/users.gen.ts';
import { useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toastUndoable } from '../../../app/state/undo.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirmDiscard } from '../../../ui/dialog/confirm.ts';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Form, FormRow } from '../../../ui/form/Form.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { TimeZoneField } from '../../../ui/form/TimeZoneField.tsx';
import { trackInput } from '../../../ui/form/track-input.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { readVersion } from '../model/actions.ts';
import {
  mergeFields,
  getProfileChanges,
  formatOtherChanges,
  PROFILE_FIELDS,
  toProfileValues,
  profileSchema,
  PROFILE_LABELS,
} from '../model/profile-fields.ts';
import type { ProfileValues, ProfileField, FieldConflict, MergeResult } from '../model/profile-fields.ts';
import { useMounted } from '../model/use-mounted.ts';
import { formatFullName, loadUser, userQuery } from '../model/user-query.ts';
import { useUserWriteError } from '../model/write-errors.ts';
import { useUserName } from './use-user.ts';

interface ProfileFormProps {
  /** The user when editing began: later reads must not change the ETag while the user types. */
  start: WithEtag<UserInfoResponse>;
  onClose: () => Promise<void>;
}

interface SaveRequest {
  body: UserInfo;
  etag: string | undefined;
}

const isStale = (error: unknown): boolean => error instanceof ServiceError && error.status === 412;

/** Whether a navigation closes the form, which is open while the URL has `edit`. */
const leavesForm = (search: object) => !('edit' in search);

/** Form for the profile. On an edit conflict both versions are shown and nothing is lost. */
export function ProfileForm({ start, onClose }: ProfileFormProps) {
  const router = useRouter();
  const client = useQueryClient();
  const { site } = useSession();
  const [base, setBase] = useState(start);
  const [conflict, setConflict] = useState<EditConflict>();
  const save = useWrite('updateUser', {
    mutationFn: ({ body, etag }: SaveRequest) =>
      updateUser({ body, ...(etag !== undefined && { headers: { 'If-Match': etag } }) }),
  });
  const [reloadError, setReloadError] = useState<ServiceError | null>(null);
  const failure = useUserWriteError(isStale(save.error) ? reloadError : save.error);
  const form = useForm({ resolver: zodResolver(profileSchema), defaultValues: toProfileValues(start.data) });
  const { isDirty, isSubmitting } = form.formState;
  useUnsavedGuard(isDirty, leavesForm);
  const isMounted = useMounted();
  const hasIdentityManager = site.identityMode === 'identity-manager';

  const mergeTheirs = async (mine: ProfileValues) => {
    const theirs = await loadUser(base.data.id);
    const { conflicts, merged } = mergeFields(PROFILE_FIELDS, {
      base: toProfileValues(base.data),
      mine,
      theirs: toProfileValues(theirs.data),
    });
    setConflict({
      conflicts,
      merged,
      otherChanges: formatOtherChanges(base.data, theirs.data),
      modifiedBy: theirs.data.modifiedBy,
    });
    setBase(theirs);
    // The page around the form shows the newer state immediately.
    client.setQueryData(userQuery(theirs.data.id).queryKey, theirs);
    form.reset(toProfileValues(theirs.data));
    for (const field of PROFILE_FIELDS) {
      if (!merged.some((one) => one.field === field))
        form.setValue(field, mine[field], { shouldDirty: true });
    }
  };

  /** Keeps what was typed while the answer was awaited as unsaved input, now against the saved state. */
  const keepTyped = async (takeStored: (stored: ProfileValues) => void) => {
    const saved = await loadUser(base.data.id);
    setBase(saved);
    setConflict(undefined);
    takeStored(toProfileValues(saved.data));
  };

  const submit = async (values: ProfileValues) => {
    const changes = getProfileChanges(toProfileValues(base.data), values);
    if (Object.keys(changes).length === 0) {
      await onClose();
      return;
    }
    setReloadError(null);
    const sent = JSON.stringify(form.getValues());
    const takeStored = trackInput(form);
    try {
      await save.mutateAsync({ body: { id: base.data.id, ...changes }, etag: base.etag });
    } catch (thrown) {
      if (isStale(thrown))
        await mergeTheirs(values).catch((why: unknown) => setReloadError(toServiceError(why)));
      return;
    }
    const name = formatFullName({ ...base.data, ...values });
    const before = getProfileChanges(values, toProfileValues(base.data));
    toastUndoable({
      title: `${name} was saved`,
      subject: name,
      undone: `The changes of ${name} were undone`,
      readVersion: () => readVersion(base.data.id),
      revert: async ({ headers }) => {
        await save.mutateAsync({ body: { id: base.data.id, ...before }, etag: headers?.['If-Match'] });
        await router.invalidate();
      },
    });
    if (isMounted() && JSON.stringify(form.getValues()) === sent) await onClose();
    // Without the saved state the next save meets a conflict, which keeps the input too.
    else if (isMounted()) await keepTyped(takeStored).catch(() => undefined);
    // Title and breadcrumb show the name, which the loader reads.
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
          submitLabel={conflict ? 'Save with these values' : 'Save'}
          onCancel={() => void cancel()}
          onSubmit={submit}
          keepsInput
        >
          {conflict && <ConflictBanner key={base.etag} form={form} conflict={conflict} />}
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
            hint="Their id at the identity provider. Empty if they sign in with a password."
            disabledReason={
              hasIdentityManager
                ? 'Without effect: an identity manager signs people in to this site.'
                : undefined
            }
          />
          <TimeZoneField
            control={form.control}
            name="timeZone"
            label="Time zone"
            current={base.data.timeZone}
            siteZone={site.timeZone}
            hint="Dates with a time are read and written in it on this site."
          />
        </Form>
      </div>
    </Card>
  );
}

/** Changes saved by others before ours. */
interface EditConflict extends MergeResult<ProfileField> {
  otherChanges: readonly string[];
  modifiedBy: number | null;
}

interface ConflictProps {
  form: UseFormReturn<ProfileValues>;
  conflict: EditConflict;
}

const listFormat = new Intl.ListFormat('en');

/** A value as the banner names it. */
const formatValue = (field: ProfileField, value: string): string =>
  value || (field === 'timeZone' ? 'same as the site' : 'empty');

// The conflict must be read before saving, so it gets the focus.
const focusElement = (notice: HTMLElement | null) => notice?.focus();

/** Shows both versions of each conflicting field; the chosen values go into the form, nothing is sent yet. */
function ConflictBanner({ form, conflict: { conflicts, merged, otherChanges, modifiedBy } }: ConflictProps) {
  const author = useUserName(modifiedBy) ?? 'Someone else';
  const choose = (field: ProfileField, value: string) =>
    form.setValue(field, value, { shouldDirty: true, shouldValidate: true });
  return (
    <div ref={focusElement} tabIndex={-1} className="user-conflict">
      <Banner tone="warn" title={`${author} changed this user while you were editing`}>
        {conflicts.length > 0 ? (
          <>
            Your changes are not saved yet. Choose which values to keep, then save.
            <table>
              <thead>
                <tr>
                  <th scope="col">Field</th>
                  <th scope="col">Theirs</th>
                  <th scope="col">Mine</th>
                </tr>
              </thead>
              <tbody>
                {conflicts.map((clash) => (
                  <ConflictRow key={clash.field} conflict={clash} form={form} onChoose={choose} />
                ))}
              </tbody>
            </table>
            <Button size="small" onClick={() => conflicts.forEach(({ field, mine }) => choose(field, mine))}>
              Keep all of mine
            </Button>
          </>
        ) : (
          'Your changes are not affected. Save again.'
        )}
        {merged.length > 0 && (
          <p>
            Accepted from them:{' '}
            {listFormat.format(
              merged.map(({ field, theirs }) => `${PROFILE_LABELS[field]} “${formatValue(field, theirs)}”`),
            )}
            .
          </p>
        )}
        {otherChanges.length > 0 && <p>Also changed: {listFormat.format(otherChanges)}.</p>}
      </Banner>
    </div>
  );
}

interface ConflictRowProps {
  conflict: FieldConflict<ProfileField>;
  form: UseFormReturn<ProfileValues>;
  onChoose: (field: ProfileField, value: string) => void;
}

function ConflictRow({ conflict: { field, theirs, mine }, form, onChoose }: ConflictRowProps) {
  const value = useWatch({ control: form.control, name: field });
  const option = (side: string, own: string) => (
    <td>
      <label>
        <input
          type="radio"
          name={`conflict ${field}`}
          aria-label={`${PROFILE_LABELS[field]}, ${side}: ${formatValue(field, own)}`}
          checked={value === own}
          onChange={() => onChoose(field, own)}
        />
        <span>{formatValue(field, own)}</span>
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
