import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useForm } from 'react-hook-form';
import { createInvestigationMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { serverNow } from '../model/clock.ts';
import { InvestigationFields, investigationSchema } from '../investigations/InvestigationFields.tsx';
import type { InvestigationValues } from '../investigations/InvestigationFields.tsx';
import { periodWords } from '../model/moments.ts';
import { queryToKeep } from '../model/question.ts';
import { boundsOf, DAY } from '../model/range.ts';
import { useNames } from '../pages/use-names.ts';
import { useView } from '../pages/use-view.ts';
import { writeView } from '../model/view.ts';
import { filterWords, rangeWords } from '../model/words.ts';
import { readerZone } from '../../../lib/site-zone.ts';

const FITTING = 60;

/** Keeps what the report asks for under a name, with notes and the rows that match now. */
export function SavePanel() {
  const router = useRouter();
  const client = useQueryClient();
  const { reason } = useAllowed('createInvestigation');
  const { view } = useView();
  const zone = readerZone();
  const now = useMemo(() => serverNow(client), [client]);
  const nameOf = useNames([...view.people, ...view.principals]);
  const words = [...filterWords(view, nameOf), rangeWords(view.range, now, zone)].join(' · ');
  const create = useWrite('createInvestigation', createInvestigationMutation());
  const form = useForm({
    resolver: zodResolver(investigationSchema),
    // Words that fit a line name it well; longer ones would have to be deleted first.
    defaultValues: { name: words.length > FITTING ? '' : words, notes: '' },
  });
  useUnsavedGuard(form.formState.isDirty);
  const close = () => void router.navigate({ to: '/activity', search: writeView(view) });
  const bounds = boundsOf(view.range, now, zone);

  const submit = async ({ name, notes }: InvestigationValues) => {
    const query = queryToKeep(view, boundsOf(view.range, serverNow(client), zone), now);
    const body = { name: name.trim(), notes: notes.trim(), query };
    const made = await create.mutateAsync({ body }).catch(() => undefined);
    if (!made) return;
    toast({ title: `${made.name} was saved` });
    const params = { investigationId: made.id };
    await router.navigate({ to: '/activity/investigations/$investigationId', params, ignoreBlocker: true });
  };

  return (
    <Panel title="Save investigation" onClose={close}>
      <Form
        form={form}
        pending={form.formState.isSubmitting}
        error={create.error}
        submit="Save investigation"
        disabledReason={reason}
        onCancel={close}
        onSubmit={submit}
      >
        <InvestigationFields control={form.control} />
        <p className="field-hint">
          The rows that match now are kept with it, the newest 1,000 at most, with a hash that shows whether
          anything in them was changed.
          {bounds.to - bounds.from < DAY &&
            ` A saved investigation covers a day at least: ${periodWords(bounds.to - DAY, bounds.to)}.`}
        </p>
      </Form>
    </Panel>
  );
}
