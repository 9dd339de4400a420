import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useController, useForm } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import { requestBackupMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { backupsQuery, isBeingMade } from '../../../backups/list.ts';
import { stageWords, watchBackup } from '../../../backups/watch.ts';
import { typesQuery } from '../../../entries/schema.ts';
import { useUnsavedGuard } from '../../../shell/unsaved.ts';
import { Choice } from '../../../ui/chart/Choice.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { SwitchField } from '../../../ui/form/CheckField.tsx';
import { FieldNote } from '../../../ui/form/FieldFrame.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { bodyOf, FIRST, requestSchema } from './-request-form.ts';
import type { RequestValues } from './-request-form.ts';
import { TypesField } from './-TypesField.tsx';
import { askedWords } from './-words.ts';
import './-backups.css';

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
