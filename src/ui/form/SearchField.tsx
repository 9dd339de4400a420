import { Search, X } from 'lucide-react';
import { useRef } from 'react';
import type { ComponentType } from 'react';
import { IconButton } from '../button/IconButton.tsx';
import './form.css';
import './search.css';

interface SearchFieldProps {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
  /** Called for pasted text with several lines or separators, which is a list to look up. */
  onPasteList?: (text: string) => void;
  /** Called when the field loses the focus. */
  onBlur?: () => void;
  /** Button shown while the field is empty; `onChoose` starts a search with a text. */
  help?: ComponentType<{ onChoose: (start: string) => void }>;
}

/** Search field that filters a list during typing; Escape clears it. */
export function SearchField(props: SearchFieldProps) {
  const { label, placeholder, value, onChange, onPasteList, onBlur, help: Help } = props;
  const input = useRef<HTMLInputElement>(null);
  const start = (text: string) => {
    onChange(text);
    input.current?.focus();
  };
  return (
    <search className="search">
      <Search />
      <input
        ref={input}
        type="search"
        className="input"
        aria-label={label}
        placeholder={placeholder ?? label}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onBlur={onBlur}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || value === '') return;
          event.preventDefault();
          start('');
        }}
        onPaste={(event) => {
          const text = event.clipboardData.getData('text');
          if (!onPasteList || !/[\n,;]/.test(text.trim())) return;
          event.preventDefault();
          onPasteList(text);
        }}
      />
      {value === '' ? (
        Help && <Help onChoose={start} />
      ) : (
        <IconButton label="Clear search" icon={X} size="small" onClick={() => start('')} />
      )}
    </search>
  );
}
