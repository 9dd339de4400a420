import { zodResolver } from '@hookform/resolvers/zod';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { deviceName } from '../../../lib/device.ts';
import { PasskeyUnused } from '../../../shell/access/passkeys.ts';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { CodesDialog } from './-CodesDialog.tsx';
import { makePasskey } from './-make-passkey.ts';

const schema = z.object({
  name: z.string().trim().min(1, 'Name it, so that you know it again').max(60, 'At most 60 characters'),
});

/** A new passkey, named by whoever adds it. */
export function AddPasskey({ onClose }: { onClose: () => void }) {
  const { user } = useSession();
  const [codes, setCodes] = useState<readonly string[]>();
  const [unused, setUnused] = useState(false);
  const add = useWrite('registerPasskey', {
    // That the browser made none is no failure of the service.
    mutationFn: (name: string) =>
      makePasskey(name).catch((thrown: unknown) => {
        if (thrown instanceof PasskeyUnused) return undefined;
        throw thrown;
      }),
  });
  const form = useForm({
    resolver: zodResolver(schema),
    defaultValues: { name: deviceName(navigator.userAgent) },
  });
  if (codes) return <CodesDialog codes={codes} email={user.email} onClose={onClose} />;
  const submit = ({ name }: z.infer<typeof schema>) =>
    add.mutate(name, {
      onSuccess(made) {
        setUnused(made === undefined);
        if (made === undefined) return;
        toast({ title: `The passkey “${made.passkey.name}” was added` });
        if (made.recoveryCodes) setCodes(made.recoveryCodes);
        else onClose();
      },
    });
  return (
    <Dialog title="Add a passkey" onClose={onClose}>
      <Form
        form={form}
        pending={add.isPending}
        error={add.error}
        submit="Add"
        onCancel={onClose}
        onSubmit={submit}
      >
        <p>
          The browser asks for a fingerprint, your face, a PIN or a security key. From then on it signs you in
          by itself, and is a second factor after your password.
        </p>
        {unused && (
          <Banner tone="warn">
            The browser made no passkey. Nothing has changed; try again when you like.
          </Banner>
        )}
        <TextField control={form.control} name="name" label="Name" hint="By which you know it again." />
      </Form>
    </Dialog>
  );
}
