import { Link } from '@tanstack/react-router';
import { CircleHelp, Search, ShieldCheck } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { useSession } from '../../../api/session.ts';
import { saveLocally } from '../../../lib/local-storage.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { MODIFIER_KEY } from '../../../ui/shortcuts/shortcuts.ts';
import { HomeCard, StatusRow } from './HomeCard.tsx';

const STORAGE_KEY = 'steward-welcomed';

const TIPS: readonly { icon: LucideIcon; title: string; detail: string; action?: ReactNode }[] = [
  {
    icon: Search,
    title: 'Find anything',
    detail: `${MODIFIER_KEY} K searches people, entries, pages and commands.`,
  },
  {
    icon: CircleHelp,
    title: 'Get help on any page',
    detail: 'Press ? for what the page is for, its tasks and its shortcuts.',
    action: <Link to="/help/{-$topic}">Documentation</Link>,
  },
  {
    icon: ShieldCheck,
    title: 'Protect your account',
    detail: 'A second factor or a passkey keeps others out who know your password.',
    action: <Link to="/profile">Profile</Link>,
  },
];

/** Ids of the users who have closed the card in this browser. */
const readWelcomed = (): readonly string[] => (localStorage.getItem(STORAGE_KEY) ?? '').split(',');

/** Three things to know after the first sign-in in this browser, until they are closed. */
export function WelcomeCard() {
  const { user } = useSession();
  const id = String(user.id);
  const [isOpen, setIsOpen] = useState(() => !readWelcomed().includes(id));
  if (!isOpen) return null;
  const close = () => {
    saveLocally(STORAGE_KEY, [...readWelcomed(), id].filter(Boolean).join(','));
    setIsOpen(false);
    // The button that had the focus is gone.
    document.querySelector<HTMLElement>('#page-title')?.focus({ preventScroll: true });
  };
  return (
    <HomeCard
      title={`Welcome, ${user.firstName} ${user.lastName}`}
      actions={
        <Button size="small" onClick={close}>
          Close
        </Button>
      }
    >
      <ul className="home-rows home-welcome" aria-label="Getting started">
        {TIPS.map(({ title, ...tip }) => (
          <li key={title}>
            <StatusRow tone={undefined} title={title} {...tip} />
          </li>
        ))}
      </ul>
    </HomeCard>
  );
}
