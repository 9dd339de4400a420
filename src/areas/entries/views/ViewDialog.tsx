import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod/mini';
import { createViewMutation, updateViewMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { SavedView } from '../../../api/generated/types.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { SwitchField } from '../../../ui/form/CheckField.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { unlessOvertaken } from './overtaken.ts';
import type { ViewContent } from './saved.ts';
import { useViewRights } from './use-views.ts';

const LONGEST = 100;
const OVER = {
  body: 'It was changed since you opened it. Their change of what it asks for stays; its name becomes yours.',
  action: 'Rename it',
};
const zView = z.object({
  name: z.string().check(z.trim(), z.minLength(1, 'Give it a name'), z.maxLength(LONGEST)),
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

/** The name of a view, and whether everybody sees it. */
export default function ViewDialog({ typeId, saved, content, onSaved, onClose }: ViewDialogProps) {
  const { whyNotShare } = useViewRights();
  const create = useWrite('createView', createViewMutation());
  const update = useWrite('updateView', updateViewMutation());
  const form = useForm({
    resolver: zodResolver(zView),
    defaultValues: { name: saved?.name ?? '', isShared: saved?.isShared ?? false },
  });
  const path = { entryTypeId: String(typeId) };
  const submit = async ({ name, isShared }: z.infer<typeof zView>) => {
    const rename = async (one: SavedView) => {
      const done = await unlessOvertaken(one, OVER, (headers) =>
        update.mutateAsync({
          path: { ...path, viewId: one.id },
          body: { name },
          ...(headers && { headers }),
        }),
      );
      return done?.made;
    };
    // Why it failed stands in the form.
    const made = await (
      saved ? rename(saved) : create.mutateAsync({ path, body: { ...content, name, isShared } })
    ).catch(() => undefined);
    if (!made) return;
    toast({ title: `${made.name} was saved` });
    onSaved(made);
    onClose();
  };
  return (
    <Dialog title={saved ? `Rename ${saved.name}` : 'Save as new view'} onClose={onClose}>
      <Form
        form={form}
        pending={form.formState.isSubmitting}
        error={create.error ?? update.error}
        submit={saved ? 'Rename' : 'Save view'}
        onCancel={onClose}
        onSubmit={submit}
      >
        <TextField control={form.control} name="name" label="Name" maxLength={LONGEST} />
        {!saved && (
          <SwitchField
            control={form.control}
            name="isShared"
            label="Share with everybody who may read entries"
            disabledReason={whyNotShare}
          />
        )}
      </Form>
    </Dialog>
  );
}
