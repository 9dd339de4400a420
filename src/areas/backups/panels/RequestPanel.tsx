import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useController, useForm } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import { z } from 'zod';
import type {
  BackupAddress,
  EntryTypeVm,
  BackupRequestVm,
} from '../../../../contract/generated/types.gen.ts';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import { requestBackupMutation } from '../../../api/generated/queries/backups.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { formatPercent } from '../../../lib/percentages.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { FieldNote } from '../../../ui/form/FieldFrame.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { SwitchField } from '../../../ui/form/SwitchField.tsx';
import { Toggle } from '../../../ui/form/Toggle.tsx';
import { toast } from '../../../ui/toast.ts';
import { typesQuery } from '../../entries/index.ts';
import { addressQuery, AddressNote } from '../download/AddressNote.tsx';
import { backupsQuery, isInProgress } from '../model/backups.ts';
import { formatRequester, formatStage } from '../model/format.ts';
import './backups.css';

const SCOPES = [
  { value: 'site', label: 'Whole site' },
  { value: 'types', label: 'Some entry types' },
] as const;

/** Panel that requests a backup. Warns before sending if another backup is in progress. */
export function RequestPanel() {
  const router = useRouter();
  const client = useQueryClient();
  const { user } = useSession();
  const { reason } = usePermission('requestBackup');
  const { data: all } = useQuery(backupsQuery);
  const request = useWrite('requestBackup', requestBackupMutation());
  const form = useForm({ resolver: zodResolver(requestSchema), defaultValues: DEFAULT_VALUES });
  useUnsavedGuard(form.formState.isDirty);
  const { control } = form;
  const running = all?.find(isInProgress);
  const close = (sent = false) =>
    router.navigate({ to: '/backups', search: (now) => now, ignoreBlocker: sent });

  const address = useAddressCheck();
  const submit = async (values: RequestValues) => {
    // A changed address is shown first; sending again goes on with it.
    if (await address.hasChanged()) return undefined;
    const answer = await request.mutateAsync({ body: toRequestBody(values) }).catch(() => undefined);
    // Another user may have requested a backup first: it is shown after reloading the list.
    if (!answer) return client.invalidateQueries({ queryKey: backupsQuery.queryKey });
    const { fileName, jobId } = answer.data;
    toast({
      title: 'Backup requested',
      description: values.notify ? `You will get an e-mail at ${user.email} when it is finished.` : fileName,
      ...(typeof jobId === 'number' && { link: { label: 'Open job', path: `/jobs/${jobId}` } }),
    });
    await close(true);
  };

  return (
    <Panel title="Request a backup" onClose={() => void close()}>
      <Form
        form={form}
        pending={form.formState.isSubmitting}
        error={request.error}
        submitLabel="Request backup"
        disabledReason={reason ?? (running && 'Another backup is in progress')}
        onCancel={() => void close()}
        onSubmit={submit}
      >
        {running && (
          <Banner tone="warn" title="Another backup is in progress">
            {formatRequester(running)}: {formatStage(running)}, {formatPercent(running.progress / 100)}. A
            site creates one backup at a time; your choices are kept until it is finished.
          </Banner>
        )}
        <ScopeField control={control} />
        <SwitchField
          control={control}
          name="includeFiles"
          label="Include files of entries"
          hint="Makes the backup larger and slower."
        />
        <SwitchField
          control={control}
          name="notify"
          label="E-mail me when it’s done"
          hint={`Sent to ${user.email} on success and failure. The job center shows the progress.`}
        />
        <AddressNote before={address.before} />
        <p className="field-hint">
          Users, groups, licenses, proxies, the schema and the settings are always included; passwords, keys
          and sessions never. With the embedded database, other requests wait while the rows are read: about
          two seconds for 50,000 entries.
        </p>
      </Form>
    </Panel>
  );
}

/** Compares the address at each attempt to send with the one shown before. */
function useAddressCheck() {
  const client = useQueryClient();
  const { allowed } = usePermission('getBackupAddress');
  const [before, setBefore] = useState<BackupAddress>();
  return {
    before,
    async hasChanged(): Promise<boolean> {
      const shown = client.getQueryData(addressQuery.queryKey);
      if (!allowed) return false;
      // Without an answer, the request itself says what is wrong.
      const now = await client.fetchQuery(addressQuery).catch(() => undefined);
      const isChanged = shown !== undefined && now !== undefined && shown.ipAddress !== now.ipAddress;
      setBefore(isChanged ? shown : undefined);
      return isChanged;
    },
  };
}

type ScopeFieldProps = { control: Control<RequestValues, unknown, RequestValues> };

function ScopeField({ control }: ScopeFieldProps) {
  const { allowed, reason } = usePermission('listEntryTypes');
  const { field } = useController({ control, name: 'scope' });
  const { data: types, error } = useQuery({ ...typesQuery, enabled: allowed });
  const note = reason === undefined ? undefined : `To choose entry types: ${reason}.`;
  return (
    <>
      <div className="field">
        <span className="field-label" aria-hidden>
          Scope
        </span>
        <div>
          <SegmentedControl
            label="Scope"
            options={allowed ? SCOPES : SCOPES.slice(0, 1)}
            value={field.value}
            onChange={field.onChange}
          />
        </div>
        <FieldNote id={undefined} hint={note} />
      </div>
      {field.value === 'types' && types && <TypesField control={control} types={types} />}
      {field.value === 'types' && !types && !error && <SkeletonRows rows={4} />}
      {field.value === 'types' && !types && error && (
        <Banner tone="bad" title="The entry types could not be loaded">
          Request a backup of the whole site, or reopen this panel.
        </Banner>
      )}
    </>
  );
}

interface TypesFieldProps {
  control: Control<RequestValues, unknown, RequestValues>;
  types: readonly EntryTypeVm[];
}

/** Shorter lists need no search. */
const MIN_TYPES_FOR_SEARCH = 8;

/** Selection of entry types, with a search by name. */
function TypesField({ control, types }: TypesFieldProps) {
  const id = useId();
  const [q, setQ] = useState('');
  const { field, fieldState } = useController({ control, name: 'typeIds' });
  const searchText = foldText(q.trim());
  const visibleTypes = types.filter(({ apiName, pluralName }) =>
    foldText(`${pluralName}\n${apiName}`).includes(searchText),
  );
  const chosen = new Set(field.value);
  const all = visibleTypes.length > 0 && visibleTypes.every((type) => chosen.has(type.id));
  const set = (ids: readonly number[], on: boolean) => {
    const rest = field.value.filter((one) => !ids.includes(one));
    field.onChange(on ? [...rest, ...ids] : rest);
  };
  return (
    <fieldset className="backup-types">
      <legend className="field-label">
        Entry types <span className="num">{formatNumber(chosen.size)}</span>
      </legend>
      {types.length > MIN_TYPES_FOR_SEARCH && (
        <SearchField label="Search entry types" value={q} onChange={setQ} />
      )}
      <div className="backup-types-all">
        <Button
          size="small"
          onClick={() =>
            set(
              visibleTypes.map((type) => type.id),
              !all,
            )
          }
        >
          {all
            ? 'Select none'
            : searchText === ''
              ? 'Select all'
              : `Select all ${formatNumber(visibleTypes.length)} found`}
        </Button>
        <span className="field-hint">
          {pluralize(types.length, 'entry type', 'entry types')} on this site
        </span>
      </div>
      <div className="backup-types-list">
        {visibleTypes.map((type) => (
          <Toggle
            key={type.id}
            kind="checkbox"
            id={`${id}-${type.id}`}
            label={type.pluralName}
            hint={
              type.entryCount === undefined ? type.apiName : pluralize(type.entryCount, 'entry', 'entries')
            }
            checked={chosen.has(type.id)}
            onChange={(on) => set([type.id], on)}
          />
        ))}
        {visibleTypes.length === 0 && <p className="field-hint">No entry type matches.</p>}
      </div>
      {fieldState.error && <FieldNote id={`${id}-note`} error={fieldState.error.message} />}
    </fieldset>
  );
}

const requestSchema = z
  .object({
    scope: z.enum(['site', 'types']),
    typeIds: z.array(z.number()),
    includeFiles: z.boolean(),
    notify: z.boolean(),
  })
  .refine(({ scope, typeIds }) => scope === 'site' || typeIds.length > 0, {
    path: ['typeIds'],
    message: 'Choose at least one entry type, or the whole site',
  });

type RequestValues = z.infer<typeof requestSchema>;

const DEFAULT_VALUES: RequestValues = { scope: 'site', typeIds: [], includeFiles: false, notify: true };

/** Request body; without ids and names the backup covers the whole site (shapes 3). */
const toRequestBody = ({ scope, typeIds, includeFiles, notify }: RequestValues): BackupRequestVm => ({
  includeFiles,
  notify,
  ...(scope === 'types' && { ids: typeIds }),
});
