import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { changePasswordMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { zPasswordChange } from '../../../api/generated/zod.gen.ts';
import { useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { counted } from '../../../lib/numbers.ts';
import { useUnsavedGuard } from '../../../shell/unsaved.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { Form } from '../../../ui/form/Form.tsx';
import { PasswordField } from '../../../ui/form/PasswordField.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';

const EMPTY = { currentPassword: '', password: '' };

/** Another password, for whoever knows the present one. */
export function PasswordCard() {
  const { user, site } = useSession();
  const change = useWrite('changePassword', changePasswordMutation());
  const form = useForm({ resolver: zodResolver(zPasswordChange), defaultValues: EMPTY });
  useUnsavedGuard(form.formState.isDirty);
  return (
    <Card title="Password">
      <CardBody>
        <Form
          form={form}
          pending={change.isPending}
          error={change.error}
          submit="Change password"
          onSubmit={(body) =>
            change.mutate(
              { body },
              {
                onSuccess({ ended }) {
                  form.reset(EMPTY);
                  toast({ title: 'Your password was changed', description: whatEnded(ended) });
                },
              },
            )
          }
        >
          <p className="profile-soft">
            {site.identityMode === 'identity-manager'
              ? `${site.name} signs people in through its identity manager: a password opens your other sites only.`
              : 'Every other session of yours ends; this one goes on.'}
          </p>
          {/* A password manager stores the new password under this name. */}
          <input
            type="email"
            name="username"
            autoComplete="username"
            defaultValue={user.email}
            readOnly
            hidden
          />
          <PasswordField
            control={form.control}
            name="currentPassword"
            label="Present password"
            autoComplete="current-password"
          />
          <PasswordField
            control={form.control}
            name="password"
            label="New password"
            hint="At least 12 characters. A few words are good."
            autoComplete="new-password"
          />
        </Form>
      </CardBody>
    </Card>
  );
}

const whatEnded = (ended: number): string =>
  ended === 0 ? 'You had no other session.' : `${counted(ended, 'other session', 'other sessions')} ended.`;
