import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod/mini';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import type { Failure } from '../../ui/feedback/failure.ts';
import { Form } from '../../ui/form/Form.tsx';
import { SwitchField } from '../../ui/form/SwitchField.tsx';
import { TextField } from '../../ui/form/TextField.tsx';
import { toast } from '../../ui/toast.ts';

const MAX_NAME_CHARS = 100;
const viewSchema = z.object({
  name: z.string().check(z.trim(), z.minLength(1, 'Enter a name'), z.maxLength(MAX_NAME_CHARS)),
  isShared: z.boolean(),
});

interface ViewNameDialogProps<View extends { name: string }> {
  /** The view to rename; undefined for a new one. */
  saved: { name: string; isShared: boolean } | undefined;
  /** Label of the switch that shares a new view. */
  shareLabel: string;
  shareRefusal: string | undefined;
  /** Error of the last write. */
  error: Failure | null | undefined;
  /** Writes the view; undefined if the user declined. The form shows a failure. */
  onSave: (values: { name: string; isShared: boolean }) => Promise<View | undefined>;
  onSaved: (view: View) => void;
  onClose: () => void;
}

/** Dialog for the name of a new or existing saved view; a new one can be shared. */
export function ViewNameDialog<View extends { name: string }>(props: ViewNameDialogProps<View>) {
  const { saved, shareLabel, shareRefusal, error, onSave, onSaved, onClose } = props;
  const form = useForm({
    resolver: zodResolver(viewSchema),
    defaultValues: { name: saved?.name ?? '', isShared: saved?.isShared ?? false },
  });
  const submit = async (values: z.infer<typeof viewSchema>) => {
    // The form shows the error.
    const result = await onSave(values).catch(() => undefined);
    if (!result) return;
    toast({ title: `${result.name} was saved` });
    onSaved(result);
    onClose();
  };
  return (
    <Dialog title={saved ? `Rename ${saved.name}` : 'Save as new view'} onClose={onClose}>
      <Form
        form={form}
        pending={form.formState.isSubmitting}
        error={error}
        submitLabel={saved ? 'Rename' : 'Save view'}
        onCancel={onClose}
        onSubmit={submit}
      >
        <TextField control={form.control} name="name" label="Name" />
        {!saved && (
          <SwitchField
            control={form.control}
            name="isShared"
            label={shareLabel}
            disabledReason={shareRefusal}
          />
        )}
      </Form>
    </Dialog>
  );
}
