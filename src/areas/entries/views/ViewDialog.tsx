import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod/mini';
import type { SavedView } from '../../../../contract/generated/types.gen.ts';
import { createViewMutation, updateViewMutation } from '../../../api/generated/queries/views.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { SwitchField } from '../../../ui/form/SwitchField.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { toast } from '../../../ui/toast.ts';
import { writeUnlessConflict } from './save-view.ts';
import type { ViewContent } from './saved-view.ts';
import { useViewRights } from './use-views.ts';

const MAX_NAME_CHARS = 100;
const CONFLICT_TEXTS = {
  body: 'The view was changed after you opened it. Renaming keeps those changes and replaces the name.',
  action: 'Rename',
};
const viewSchema = z.object({
  name: z.string().check(z.trim(), z.minLength(1, 'Enter a name'), z.maxLength(MAX_NAME_CHARS)),
  isShared: z.boolean(),
});

interface ViewDialogProps {
  typeId: number;
  /** The view to rename; undefined for a new one. */
  saved: SavedView | undefined;
  content: ViewContent;
  onSaved: (view: SavedView) => void;
  onClose: () => void;
}

/** Dialog for the name of a new or existing saved view; a new one can be shared. */
export default function ViewDialog({ typeId, saved, content, onSaved, onClose }: ViewDialogProps) {
  const { shareRefusal } = useViewRights();
  const create = useWrite('createView', createViewMutation());
  const update = useWrite('updateView', updateViewMutation());
  const form = useForm({
    resolver: zodResolver(viewSchema),
    defaultValues: { name: saved?.name ?? '', isShared: saved?.isShared ?? false },
  });
  const path = { entryTypeId: String(typeId) };
  const submit = async ({ name, isShared }: z.infer<typeof viewSchema>) => {
    const rename = async (view: SavedView) => {
      const done = await writeUnlessConflict(view, CONFLICT_TEXTS, (headers) =>
        update.mutateAsync({
          path: { ...path, viewId: view.id },
          body: { name },
          ...(headers && { headers }),
        }),
      );
      return done?.result;
    };
    // The form shows the error.
    const result = await (
      saved ? rename(saved) : create.mutateAsync({ path, body: { ...content, name, isShared } })
    ).catch(() => undefined);
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
        error={create.error ?? update.error}
        submitLabel={saved ? 'Rename' : 'Save view'}
        onCancel={onClose}
        onSubmit={submit}
      >
        <TextField control={form.control} name="name" label="Name" maxLength={MAX_NAME_CHARS} />
        {!saved && (
          <SwitchField
            control={form.control}
            name="isShared"
            label="Share with everyone who can read entries"
            disabledReason={shareRefusal}
          />
        )}
      </Form>
    </Dialog>
  );
}
