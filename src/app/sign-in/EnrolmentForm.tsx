import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useState, use } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import type { Enrolled, Enrolment, Session } from '../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../api/errors.ts';
import { confirmEnrolmentMutation } from '../../api/generated/queries/access.gen.ts';
import { beginEnrolment } from '../../api/generated/sdk/access.gen.ts';
import { useWrite } from '../../api/write.ts';
import { CopyButton } from '../../ui/button/CopyButton.tsx';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { Form } from '../../ui/form/Form.tsx';
import { TextField } from '../../ui/form/TextField.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { focusFirstField } from './focus.ts';
import { codeSchema } from './proof-fields.ts';
import { RecoveryCodes } from './RecoveryCodes.tsx';
import './access.css';

interface EnrolmentFormProps {
  onDone: (session: Session) => void;
  /** Called when the attempts are used up or the time is over. */
  onExpired: () => void;
  onCancel: () => void;
  /** Label of the last button. */
  doneLabel: string;
}

// Read once while the form is mounted and never cached, because it is a secret.
const enrolmentQuery = {
  queryKey: ['enrolment'],
  queryFn: async () => (await beginEnrolment()).data,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  retry: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const;

/** Sets up an authenticator app: secret, first code, recovery codes. */
export default function EnrolmentForm({ onDone, onExpired, onCancel, doneLabel }: EnrolmentFormProps) {
  const { data, error, refetch } = useQuery(enrolmentQuery);
  const isExpired = error !== null && toServiceError(error).status === 401;
  useEffect(() => {
    if (isExpired) onExpired();
    // oxlint-disable-next-line react/exhaustive-deps -- once for each answer, not for each new callback
  }, [isExpired]);
  const [enrolled, setEnrolled] = useState<Enrolled>();
  if (enrolled) {
    const { session, recoveryCodes } = enrolled;
    return (
      <RecoveryCodes
        codes={recoveryCodes}
        email={session.user.email}
        doneLabel={doneLabel}
        onDone={() => onDone(session)}
      />
    );
  }
  if (error)
    return (
      <ErrorState title="The secret could not be created" onRetry={() => void refetch()}>
        {toServiceError(error).message}
      </ErrorState>
    );
  if (!data)
    return (
      <p className="enrol-wait">
        <Spinner /> Creating the secret
      </p>
    );
  return <ConfirmForm enrolment={data} onDone={setEnrolled} onExpired={onExpired} onCancel={onCancel} />;
}

interface ConfirmFormProps {
  enrolment: Enrolment;
  onDone: (enrolled: Enrolled) => void;
  onExpired: () => void;
  onCancel: () => void;
}

function ConfirmForm({ enrolment, onDone, onExpired, onCancel }: ConfirmFormProps) {
  const { secret, otpauthUri } = enrolment;
  const confirm = useWrite('confirmEnrolment', confirmEnrolmentMutation());
  const form = useForm({
    resolver: zodResolver(z.object({ code: codeSchema })),
    defaultValues: { code: '' },
  });
  return (
    <Form
      form={form}
      pending={confirm.isPending}
      error={confirm.error}
      submitLabel="Confirm"
      onCancel={onCancel}
      onSubmit={(body) =>
        confirm.mutate(
          { body },
          {
            onSuccess: onDone,
            onError({ status }) {
              if (status === 401) onExpired();
            },
          },
        )
      }
    >
      <p>Scan this with an authenticator app, or type the secret into it.</p>
      <Suspense fallback={<div className="qr" />}>
        <QrCode text={otpauthUri} />
      </Suspense>
      <p className="enrol-secret">
        <code aria-label="Secret">{secret.match(/.{1,4}/g)?.join(' ')}</code>
        <CopyButton value={secret} label="Copy the secret" />
      </p>
      <div ref={focusFirstField}>
        <TextField
          control={form.control}
          name="code"
          label="Code shown in the app"
          autoComplete="one-time-code"
          inputMode="numeric"
        />
      </div>
    </Form>
  );
}

// The Content-Security-Policy forbids markup from text, so the code is rendered as an SVG path.
const qrCodes = new Map<string, Promise<{ size: number; path: string }>>();

async function renderQrCode(text: string): Promise<{ size: number; path: string }> {
  const { encode } = await import('uqr');
  const { size, data } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return { size, path };
}

function getQrCode(text: string) {
  const qrCode = qrCodes.get(text) ?? renderQrCode(text);
  // Only one code is kept, because earlier secrets are not needed again.
  qrCodes.clear();
  qrCodes.set(text, qrCode);
  return qrCode;
}

/** QR code, dark on light in every theme for cameras. The secret is also shown as text. */
function QrCode({ text }: { text: string }) {
  const { size, path } = use(getQrCode(text));
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} aria-hidden shapeRendering="crispEdges">
      <path className="qr-dark" d={path} />
    </svg>
  );
}
