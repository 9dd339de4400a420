import { zodResolver } from '@hookform/resolvers/zod';
import { useSuspenseQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useForm } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import type { InvestigationChange } from '../../../../contract/generated/types.gen.ts';
import { useConditionalSave } from '../../../api/conditional-save.ts';
import { createInvestigationMutation } from '../../../api/generated/queries/activity.gen.ts';
import { readInvestigation, updateInvestigation } from '../../../api/generated/sdk/activity.gen.ts';
import { zInvestigationChange } from '../../../api/generated/zod.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { getBrowserTimeZone } from '../../../lib/dates/time-zones.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { toast } from '../../../ui/toast.ts';
import { getServerTime } from '../model/activity-data.ts';
import { formatTimeRange, formatFilters, formatPeriod } from '../model/format.ts';
import { resolvePeriod, DAY_MS } from '../model/period.ts';
import { buildInvestigationQuery } from '../model/report-query.ts';
import { useUserNames } from '../model/use-names.ts';
import { useActivityView } from '../model/use-view.ts';
import { serializeActivityView } from '../model/view.ts';
import { investigationQuery } from './investigations.ts';

const route = getRouteApi('/_app/activity/investigations/$investigationId');

/** Panel that changes the name and notes of an investigation; its rows are frozen. */
export function EditInvestigationPanel() {
  const router = useRouter();
  const { investigationId } = route.useParams();
  const { reason } = usePermission('updateInvestigation');
  const path = { id: investigationId };
  const { data: start } = useSuspenseQuery(investigationQuery(investigationId));
  const { base, hasConflict, error, save } = useConditionalSave({
    initial: { ...start, data: start.data.info },
    operation: 'updateInvestigation',
    write: (body: InvestigationChange, match) => updateInvestigation({ path, body, ...match }),
    async read() {
      const { data, response } = await readInvestigation({ path });
      return { data: data.info, response };
    },
  });
  const form = useForm({
    resolver: zodResolver(investigationSchema),
    defaultValues: { name: base.name, notes: base.notes },
  });
  useUnsavedGuard(form.formState.isDirty);
  const close = (saved: boolean) =>
    router.navigate({
      to: '/activity/investigations/$investigationId',
      params: { investigationId },
      search: (now) => now,
      ignoreBlocker: saved,
    });

  const submit = async ({ name, notes }: InvestigationValues) => {
    const saved = await save({ name: name.trim(), notes });
    if (!saved) return;
    toast({ title: `${saved.name} was saved` });
    await close(true);
  };

  return (
    <Panel title="Edit investigation" onClose={() => void close(false)}>
      <Form
        form={form}
        pending={form.formState.isSubmitting}
        error={error}
        submitLabel="Save"
        disabledReason={reason}
        onCancel={() => void close(false)}
        onSubmit={submit}
      >
        {hasConflict && (
          <Banner tone="warn" title="Another user changed this investigation in the meantime">
            <p>Your changes are not saved yet. Saving again replaces its name and notes with yours.</p>
            <p>Name: {base.name}</p>
            <p className="inv-notes">Notes: {base.notes === '' ? 'None' : base.notes}</p>
          </Banner>
        )}
        <InvestigationFields control={form.control} />
      </Form>
    </Panel>
  );
}

const MAX_DEFAULT_NAME_LENGTH = 60;

/** Panel that saves the filters of the report with a name, notes and the rows that match now. */
export function SaveInvestigationPanel() {
  const router = useRouter();
  const client = useQueryClient();
  const { reason } = usePermission('createInvestigation');
  const { view } = useActivityView();
  const zone = getBrowserTimeZone();
  const now = useMemo(() => getServerTime(client), [client]);
  const getName = useUserNames([...view.people, ...view.principals]);
  const defaultName = [...formatFilters(view, getName), formatPeriod(view.period, now, zone)].join(' · ');
  const create = useWrite('createInvestigation', createInvestigationMutation());
  const form = useForm({
    resolver: zodResolver(investigationSchema),
    // The filters serve as the default name if they are short enough.
    defaultValues: { name: defaultName.length > MAX_DEFAULT_NAME_LENGTH ? '' : defaultName, notes: '' },
  });
  useUnsavedGuard(form.formState.isDirty);
  const close = () => void router.navigate({ to: '/activity', search: serializeActivityView(view) });
  const bounds = resolvePeriod(view.period, now, zone);

  const submit = async ({ name, notes }: InvestigationValues) => {
    const query = buildInvestigationQuery(view, resolvePeriod(view.period, getServerTime(client), zone), now);
    const body = { name: name.trim(), notes: notes.trim(), query };
    const created = await create.mutateAsync({ body }).catch(() => undefined);
    if (!created) return;
    toast({ title: `${created.name} was saved` });
    const params = { investigationId: created.id };
    await router.navigate({ to: '/activity/investigations/$investigationId', params, ignoreBlocker: true });
  };

  return (
    <Panel title="Save investigation" onClose={close}>
      <Form
        form={form}
        pending={form.formState.isSubmitting}
        error={create.error}
        submitLabel="Save investigation"
        disabledReason={reason}
        onCancel={close}
        onSubmit={submit}
      >
        <InvestigationFields control={form.control} />
        <p className="field-hint">
          The rows that match now are saved with it, at most the newest 1,000, with a hash that reveals any
          change to them.
          {bounds.to - bounds.from < DAY_MS &&
            ` An investigation covers at least a day: ${formatTimeRange(bounds.to - DAY_MS, bounds.to)}.`}
        </p>
      </Form>
    </Panel>
  );
}

/** Values of the form. */
export interface InvestigationValues {
  name: string;
  notes: string;
}

const { shape } = zInvestigationChange;

/** Limit of the contract. */

/** Validation of the form by the contract. */
const investigationSchema = zInvestigationChange.extend({
  name: shape.name.unwrap(),
  notes: shape.notes.unwrap(),
});

/** Fields for the name and the notes. */
function InvestigationFields({ control }: { control: Control<InvestigationValues> }) {
  return (
    <>
      <TextField control={control} name="name" label="Name" />
      <TextField
        control={control}
        name="notes"
        label="Notes"
        rows={8}
        optional
        hint="Purpose, requester and findings."
      />
    </>
  );
}
