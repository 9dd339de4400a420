import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useController, useForm } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import { useId, useState } from 'react';
import { z } from 'zod';
import { requestBackupMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { backupsQuery, isBeingMade } from '../download/list.ts';
import { stageWords, watchBackup } from '../download/watch.ts';
import { typesQuery } from '../../entries/model/schema.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { Choice } from '../../../ui/chart/Choice.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { SwitchField } from '../../../ui/form/CheckField.tsx';
import { FieldNote } from '../../../ui/form/FieldFrame.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { askedWords } from '../model/words.ts';
import type { EntryTypeVm, BackupRequestVm } from '../../../api/generated/types.gen.ts';
import { fold } from '../../../lib/fold.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Check } from '../../../ui/form/Check.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import '../pages/backups.css';

const SCOPES = [
  { value: 'site', label: 'Whole site' },
  { value: 'types', label: 'Some entry types' },
] as const;

/** Asks for a backup, over the list. While another one is on its way it says so before anything is sent. */
export function RequestPanel() {
  const router = useRouter();
  const client = useQueryClient();
  const { user } = useSession();
  const { reason } = useAllowed('requestBackup');
  const { data: all } = useQuery(backupsQuery);
  const request = useWrite('requestBackup', requestBackupMutation());
  const form = useForm({ resolver: zodResolver(requestSchema), defaultValues: FIRST });
  useUnsavedGuard(form.formState.isDirty);
  const { control } = form;
  const running = all?.find(isBeingMade);
  const close = (sent = false) =>
    router.navigate({ to: '/backups', search: (now) => now, ignoreBlocker: sent });

  const submit = async (values: RequestValues) => {
    const answer = await request.mutateAsync({ body: bodyOf(values) }).catch(() => undefined);
    // Somebody was quicker: what goes on is shown beside what was chosen.
    if (!answer) return client.invalidateQueries({ queryKey: backupsQuery.queryKey });
    void watchBackup(answer.data.fileName, client);
    toast({
      title: 'The backup was asked for',
      description: values.notify ? `A mail goes to ${user.email} when it is over.` : answer.data.fileName,
    });
    await close(true);
  };

  return (
    <Panel title="Request a backup" onClose={() => void close()}>
      <Form
        form={form}
        pending={form.formState.isSubmitting}
        error={request.error}
        submit="Request the backup"
        disabledReason={reason ?? (running && 'Another backup is on its way: one at a time')}
        onCancel={() => void close()}
        onSubmit={submit}
      >
        {running && (
          <Banner tone="warn" title="Another backup is on its way">
            {askedWords(running)}: {stageWords(running)}, {running.progress} %. A site makes one at a time;
            what you choose here stays until it is over.
          </Banner>
        )}
        <ScopeField control={control} />
        <SwitchField
          control={control}
          name="includeFiles"
          label="With the files of entries"
          hint="Documents and images take most of the room and of the time."
        />
        <SwitchField
          control={control}
          name="notify"
          label="Tell me by mail when it is over"
          hint={`To ${user.email}, whether it is ready or failed. The console tells as well while it is open.`}
        />
        <p className="field-hint">
          Users, groups, licenses, proxies, the schema and the settings are always in it; passwords, keys and
          sessions never. Where the service runs on its embedded database, others wait while the rows are
          read: about two seconds for 50,000 entries.
        </p>
      </Form>
    </Panel>
  );
}

type ScopeFieldProps = { control: Control<RequestValues, unknown, RequestValues> };

function ScopeField({ control }: ScopeFieldProps) {
  const { allowed, reason } = useAllowed('listEntryTypes');
  const { field } = useController({ control, name: 'scope' });
  const { data: types, error } = useQuery({ ...typesQuery, enabled: allowed });
  const note = reason === undefined ? undefined : `To choose entry types: ${reason}.`;
  return (
    <>
      <div className="field">
        <span className="field-label" aria-hidden>
          What
        </span>
        <div>
          <Choice
            label="What"
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
        <Banner tone="bad" title="The entry types were not read">
          Ask for the whole site, or open this again.
        </Banner>
      )}
    </>
  );
}

interface TypesFieldProps {
  control: Control<RequestValues, unknown, RequestValues>;
  types: readonly EntryTypeVm[];
}

// A few are seen at once.
const MANY = 8;

/** Some of the entry types: found by name, all at once or one by one. */
function TypesField({ control, types }: TypesFieldProps) {
  const id = useId();
  const [q, setQ] = useState('');
  const { field, fieldState } = useController({ control, name: 'typeIds' });
  const wanted = fold(q.trim());
  const shown = types.filter(({ apiName, pluralName }) => fold(`${pluralName}\n${apiName}`).includes(wanted));
  const chosen = new Set(field.value);
  const all = shown.length > 0 && shown.every((type) => chosen.has(type.id));
  const set = (ids: readonly number[], on: boolean) => {
    const rest = field.value.filter((one) => !ids.includes(one));
    field.onChange(on ? [...rest, ...ids] : rest);
  };
  return (
    <fieldset className="backup-types">
      <legend className="field-label">
        Entry types <span className="num">{count(chosen.size)}</span>
      </legend>
      {types.length > MANY && <SearchField label="Search entry types" value={q} onChange={setQ} />}
      <div className="backup-types-all">
        <Button
          size="small"
          onClick={() =>
            set(
              shown.map((type) => type.id),
              !all,
            )
          }
        >
          {all ? 'Select none' : wanted === '' ? 'Select all' : `Select all ${count(shown.length)} found`}
        </Button>
        <span className="field-hint">{counted(types.length, 'entry type', 'entry types')} on this site</span>
      </div>
      <div className="backup-types-list">
        {shown.map((type) => (
          <Check
            key={type.id}
            kind="checkbox"
            id={`${id}-${type.id}`}
            label={type.pluralName}
            hint={type.entryCount === undefined ? type.apiName : counted(type.entryCount, 'entry', 'entries')}
            checked={chosen.has(type.id)}
            onChange={(on) => set([type.id], on)}
          />
        ))}
        {shown.length === 0 && <p className="field-hint">No entry type has this in its name.</p>}
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

const FIRST: RequestValues = { scope: 'site', typeIds: [], includeFiles: false, notify: true };

/** What is asked of the service: neither ids nor names mean the whole site (shapes 3). */
const bodyOf = ({ scope, typeIds, includeFiles, notify }: RequestValues): BackupRequestVm => ({
  includeFiles,
  notify,
  ...(scope === 'types' && { ids: typeIds }),
});
