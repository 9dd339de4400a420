import { Link, useMatches } from '@tanstack/react-router';
import { BookOpen, Keyboard } from 'lucide-react';
import { openOverlay } from '../../app/state/overlay.ts';
import { buttonClass } from '../../ui/button/button-class.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Panel } from '../../ui/dialog/Panel.tsx';
import { ShortcutList } from '../../ui/shortcuts/ShortcutList.tsx';
import { useShortcuts } from '../../ui/shortcuts/shortcuts.ts';
import { DocumentView } from './DocumentView.tsx';
import { HELP_TEXTS } from './model/help-texts.ts';
import { findTopic } from './model/topics.ts';

/** Groups of shortcuts that work on every page; the cheat sheet lists them. */
const GENERAL_GROUPS = new Set(['Anywhere', 'Go to']);

/** Panel with the help for the page: what it is for, how to do its tasks, its shortcuts. */
export default function HelpPanel({ onClose }: { onClose: () => void }) {
  const topic = findTopic(useMatches().at(-1)?.routeId ?? '', [...HELP_TEXTS.keys()]) ?? '';
  const text = HELP_TEXTS.get(topic);
  const shortcuts = useShortcuts().filter(({ group }) => !GENERAL_GROUPS.has(group));
  return (
    <Panel title={text ? `Help: ${text.title}` : 'Help'} onClose={onClose}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard can scroll it */}
      <section className="help-panel" aria-label="Help text" tabIndex={0}>
        {text ? (
          <DocumentView blocks={text.blocks} levelOffset={1} onNavigate={onClose} />
        ) : (
          <p>This page has no help text.</p>
        )}
        {shortcuts.length > 0 && <ShortcutList shortcuts={shortcuts} />}
        <div className="help-links">
          <Link
            to="/help/{-$topic}"
            params={{ topic: text ? topic : undefined }}
            className={buttonClass()}
            onClick={onClose}
          >
            <BookOpen />
            Documentation
          </Link>
          <Button icon={Keyboard} onClick={() => openOverlay('keys')}>
            All keyboard shortcuts
          </Button>
        </div>
      </section>
    </Panel>
  );
}
