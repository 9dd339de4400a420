import { X } from 'lucide-react';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { useStore } from '../../../ui/store.ts';
import { copyText } from './-copy.ts';
import { handOver } from './-hand-over.ts';
import type { Created } from './-hand-over.ts';

const close = () => handOver.set(undefined);

function howTheyGetIn({ entry, email }: Created): string {
  if (entry === 'mailed')
    return `An e-mail with a link to set a password goes to ${email}. The link holds for 24 hours.`;
  if (entry === 'password') return 'Hand over the password you chose; it is not shown again.';
  return 'They sign in through the identity manager of this site.';
}

/** After creating somebody: what happens now, and their login to hand over. */
export function HandOver({ userId }: { userId: number }) {
  const created = useStore(handOver);
  if (created?.userId !== userId) return null;
  const login = `${location.origin}/sign-in\n${created.email}`;
  return (
    <Banner
      tone="ok"
      title={`${created.name} was created`}
      actions={
        <>
          <Button size="small" onClick={() => void copyText(login, 'Login copied')}>
            Copy login
          </Button>
          <IconButton label="Close message" icon={X} size="small" onClick={close} />
        </>
      }
    >
      {howTheyGetIn(created)}
      {!created.isActive && ' They are inactive: they can sign in only after you activate them.'}
    </Banner>
  );
}
