import { zodResolver } from '@hookform/resolvers/zod';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { updateInvestigationMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { useUnsavedGuard } from '../../../ui/form/unsaved.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { InvestigationFields, investigationSchema } from './InvestigationFields.tsx';
import type { InvestigationValues } from './InvestigationFields.tsx';
import { investigationQuery } from './investigations.ts';

const route = getRouteApi('/_app/activity/investigations/$investigationId');

/** Changes the name or the notes; the rows stay as they were kept. */
export function EditInvestigationPanel() {
  const router = useRouter();
  const { investigationId } = route.useParams();
  const {
    data: { info },
  } = useSuspenseQuery(investigationQuery(investigationId));
  const { reason } = useAllowed('updateInvestigation');
  const update = useWrite('updateInvestigation', updateInvestigationMutation());
  const form = useForm({
    resolver: zodResolver(investigationSchema),
    defaultValues: { name: info.name, notes: info.notes },
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
    const body = { name: name.trim(), notes };
    const saved = await update.mutateAsync({ path: { id: investigationId }, body }).catch(() => undefined);
    if (!saved) return;
    toast({ title: `${saved.name} was saved` });
    await close(true);
  };

  return (
    <Panel title="Edit investigation" onClose={() => void close(false)}>
      <Form
        form={form}
        pending={form.formState.isSubmitting}
        error={update.error}
        submit="Save"
        disabledReason={reason}
        onCancel={() => void close(false)}
        onSubmit={submit}
      >
        <InvestigationFields control={form.control} />
      </Form>
    </Panel>
  );
}
