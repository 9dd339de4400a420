import { useSuspenseQuery } from '@tanstack/react-query';
import { ImagePlus, Send } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import type { FormEvent } from 'react';
import type { MailPreview, SiteBrand } from '../../../../contract/generated/types.gen.ts';
import { validateBrandColor } from '../../../../contract/rules/colors.ts';
import { useConditionalSave } from '../../../api/conditional-save.ts';
import {
  listMailPreviewsOptions,
  sendTestMailMutation,
} from '../../../api/generated/queries/settings.gen.ts';
import { getSiteBrand, updateSiteBrand } from '../../../api/generated/sdk/settings.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { ConflictBanner } from '../../../app/freshness/ConflictBanner.tsx';
import { toastFailedWrite } from '../../../app/state/failed-write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { toFailure } from '../../../ui/feedback/failure.ts';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { FieldFrame } from '../../../ui/form/FieldFrame.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { toast } from '../../../ui/toast.ts';
import { brandQuery } from '../model/settings-query.ts';
import './settings.css';

/** Logo and color of the site, and the mails that show them. */
export function AppearanceTab() {
  const { data: brand } = useSuspenseQuery(brandQuery);
  return (
    <div className="set-outcome">
      <BrandCard initial={brand} />
      <MailsCard brand={brand.data} />
    </div>
  );
}

const LOGO_TYPES = 'image/png,image/jpeg,image/webp';
const MAX_LOGO_BYTES = 65_536;
const DEFAULT_COLOR = '#3a5bd9';

type BrandChange = Parameters<typeof updateSiteBrand>[0]['body'];

function BrandCard({
  initial,
}: {
  initial: Parameters<typeof useConditionalSave<SiteBrand, BrandChange>>[0]['initial'];
}) {
  const id = useId();
  const { reason } = usePermission('updateSiteBrand');
  const [color, setColor] = useState(initial.data.color);
  const [file, setFile] = useState<File>();
  const logoInput = useRef<HTMLInputElement>(null);
  const [isLogoRemoved, setIsLogoRemoved] = useState(false);
  const [isSaving, setIsSaving] = useState(false);
  const [unreadable, setUnreadable] = useState<File>();
  const { base, hasConflict, error, save } = useConditionalSave({
    initial,
    operation: 'updateSiteBrand',
    write: (body: BrandChange, match) => updateSiteBrand({ body, ...match }),
    read: () => getSiteBrand(),
  });
  const isDirty = color !== base.color || file !== undefined || isLogoRemoved;
  useUnsavedGuard(isDirty);
  const colorError = color === null ? undefined : validateBrandColor(color);
  const logoError = !file
    ? undefined
    : file === unreadable
      ? 'The file can no longer be read: choose it again'
      : file.size > MAX_LOGO_BYTES
        ? 'The file is larger than 64 KiB'
        : undefined;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isSaving || colorError !== undefined || logoError !== undefined) return;
    setIsSaving(true);
    try {
      // The browser refuses to read a file that was changed or deleted after it was chosen.
      const bytes = await file?.arrayBuffer().catch(() => setUnreadable(file));
      if (file && !bytes) return;
      const stored = await save({
        color,
        ...(isLogoRemoved && { logo: null }),
        ...(bytes && { logo: new Uint8Array(bytes).toBase64() }),
      });
      if (!stored) return;
    } finally {
      setIsSaving(false);
    }
    setFile((now) => (now === file ? undefined : now));
    // A removal that was chosen while the answer was awaited stays.
    if (isLogoRemoved) setIsLogoRemoved(false);
    toast({ title: 'Appearance saved' });
  };

  return (
    <Card title="Logo and color">
      <form className="card-body set-brand" onSubmit={(event) => void submit(event)}>
        {hasConflict && (
          <ConflictBanner action="site.brand" subjectType="site" what="the appearance">
            Your changes are not saved yet. Saving again replaces theirs.
          </ConflictBanner>
        )}
        {error && <FailureBanner failure={toFailure(error)} />}
        <FieldFrame
          id={`${id}-color`}
          noteId={`${id}-color-note`}
          label="Color"
          hint="Used for the mark of the console and for buttons in mails, with white text."
          error={colorError === undefined ? undefined : `The color ${colorError}`}
        >
          <div className="set-color">
            <input
              id={`${id}-color`}
              type="color"
              aria-describedby={`${id}-color-note`}
              value={color ?? DEFAULT_COLOR}
              onChange={({ target }) => setColor(target.value)}
            />
            <code>{color ?? 'Color of the console'}</code>
            {color !== null && (
              <Button size="small" onClick={() => setColor(null)}>
                Use the color of the console
              </Button>
            )}
          </div>
        </FieldFrame>
        <FieldFrame
          id={`${id}-logo`}
          noteId={`${id}-logo-note`}
          label="Logo"
          optional
          hint="PNG, JPEG or WebP, at most 64 KiB. Shown 32 pixels high in mails."
          error={logoError}
        >
          <div className="set-color">
            <input
              ref={logoInput}
              // Emptied after saving.
              key={file === undefined ? 'empty' : 'chosen'}
              id={`${id}-logo`}
              type="file"
              className="visually-hidden"
              tabIndex={-1}
              accept={LOGO_TYPES}
              aria-describedby={`${id}-logo-note`}
              onChange={({ target }) => {
                setFile(target.files?.[0]);
                setIsLogoRemoved(false);
              }}
            />
            <Button size="small" icon={ImagePlus} onClick={() => logoInput.current?.click()}>
              Choose a file
            </Button>
            <span className="set-soft">{file?.name ?? 'No file chosen'}</span>
          </div>
        </FieldFrame>
        {base.logo && !isLogoRemoved && (
          <div className="set-color">
            <LogoPicture logo={base.logo} />
            <Button size="small" onClick={() => setIsLogoRemoved(true)}>
              Remove logo
            </Button>
          </div>
        )}
        <div>
          <Button
            type="submit"
            variant="primary"
            pending={isSaving}
            disabledReason={reason ?? (isDirty ? undefined : 'Nothing has changed')}
          >
            Save
          </Button>
        </div>
      </form>
    </Card>
  );
}

const LogoPicture = ({ logo }: { logo: NonNullable<SiteBrand['logo']> }) => (
  <img className="set-logo" src={`data:${logo.type};base64,${logo.data}`} alt="Logo of the site" />
);

const FORMS = [
  { value: 'html', label: 'HTML' },
  { value: 'text', label: 'Text' },
] as const;

/** Every mail that the service sends, with example values. */
function MailsCard({ brand }: { brand: SiteBrand }) {
  const { user } = useSession();
  const { reason } = usePermission('sendTestMail');
  const { data: mails } = useSuspenseQuery(listMailPreviewsOptions());
  const [mailId, setMailId] = useState(mails[0]?.id);
  const [form, setForm] = useState<(typeof FORMS)[number]['value']>('html');
  const send = useWrite('sendTestMail', sendTestMailMutation());
  const mail = mails.find(({ id }) => id === mailId);
  const sendTest = (id: string) =>
    send.mutateAsync({ path: { mailId: id } }).then(
      () => toast({ title: `Test mail sent to ${user.email}` }),
      (thrown: unknown) => toastFailedWrite('The test mail', 'sent', thrown),
    );
  return (
    <Card title="Mails">
      <div className="card-body set-mails">
        <nav aria-label="Mails">
          <ul className="set-mail-list">
            {mails.map(({ id, name }) => (
              <li key={id}>
                <button
                  type="button"
                  aria-current={id === mailId ? 'true' : undefined}
                  onClick={() => setMailId(id)}
                >
                  {name}
                </button>
              </li>
            ))}
          </ul>
        </nav>
        {mail && (
          <section className="set-mail" aria-label={`Preview: ${mail.name}`}>
            <div className="set-color">
              <SegmentedControl label="Form" options={FORMS} value={form} onChange={setForm} />
              <Button
                icon={Send}
                disabledReason={reason}
                pending={send.isPending}
                onClick={() => void sendTest(mail.id)}
              >
                Send to me
              </Button>
            </div>
            <p>
              <span className="set-soft">Subject</span> <strong>{mail.subject}</strong>
            </p>
            {form === 'text' ? (
              <pre className="set-mail-text">{mail.text}</pre>
            ) : (
              <MailBody mail={mail} brand={brand} />
            )}
          </section>
        )}
      </div>
    </Card>
  );
}

/** The HTML version, drawn like service/kernel/mail/layout.ts: the console accepts no HTML as text. */
function MailBody({ mail, brand: { color, logo } }: { mail: MailPreview; brand: SiteBrand }) {
  const { site } = useSession();
  const background = color ?? DEFAULT_COLOR;
  return (
    <div className="set-mail-body">
      <header style={{ borderTopColor: background }}>
        {logo && <LogoPicture logo={logo} />}
        <strong>{site.name}</strong>
      </header>
      {mail.blocks.map(({ kind, text }) =>
        kind === 'link' ? (
          <div key={text} className="set-mail-link">
            <span style={{ background }}>Open {site.name}</span>
            <small>Or copy this address: {text}</small>
          </div>
        ) : (
          <p key={text}>{text}</p>
        ),
      )}
      <footer>Sent by Steward at {location.origin}. Replies to this address are not read.</footer>
    </div>
  );
}
