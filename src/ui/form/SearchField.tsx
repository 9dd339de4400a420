import { Search, X } from 'lucide-react';
import { useRef } from 'react';
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
}

/** Search field that filters a list during typing; Escape clears it. */
export function SearchField({ label, placeholder, value, onChange, onPasteList, onBlur }: SearchFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const clear = () => {
    onChange('');
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
          clear();
        }}
        onPaste={(event) => {
          const text = event.clipboardData.getData('text');
          if (!onPasteList || !/[\n,;]/.test(text.trim())) return;
          event.preventDefault();
          onPasteList(text);
        }}
      />
      {value !== '' && <IconButton label="Clear search" icon={X} size="small" onClick={clear} />}
    </search>
  );
}
