import { Button } from '../../ui/button/Button.tsx';
import { Dialog } from '../../ui/dialog/Dialog.tsx';
import { SwitchRow } from '../../ui/form/SwitchRow.tsx';
import { ROW_KEYS } from '../../ui/table/row-keys.ts';
import { setSingleKeys, useShortcuts, useSingleKeys } from './shortcuts.ts';
import type { Shortcut } from './shortcuts.ts';
import './cheat-sheet.css';

const WORDS: Record<string, string> = {
  mod: navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl',
  PageUp: 'Page ↑',
  PageDown: 'Page ↓',
};

const IN_TABLES: readonly Shortcut[] = ROW_KEYS.map((row) => ({ ...row, group: 'In a table' }));

/** Every shortcut that works on this page, as the registry has them, and the keys of a table. */
export default function CheatSheet({ onClose }: { onClose: () => void }) {
  const groups = Map.groupBy([...useShortcuts(), ...IN_TABLES], ({ group }) => group);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <SwitchRow
        label="Shortcuts of plain keys"
        hint="Those without Ctrl or Cmd. The palette opens this page too."
        checked={useSingleKeys()}
        onChange={setSingleKeys}
      />
      <div className="keys">
        {[...groups].map(([group, shortcuts]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {shortcuts.map(({ keys, label }) => (
                <div key={keys}>
                  <dt>{label}</dt>
                  <dd>
                    {keys.split(/[ +]/).map((key) => (
                      <kbd key={key} className="kbd">
                        {WORDS[key] ?? key}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
