import { createFormControl } from 'react-hook-form';
import { expect, test } from 'vitest';
import { trackInput } from './track-input.ts';

const createForm = () => {
  const form = createFormControl({ defaultValues: { name: 'Old', domains: ['a.test'], isOpen: false } });
  let isDirty = false;
  form.subscribe({
    formState: { isDirty: true, values: true },
    callback: (state) => {
      isDirty = state.isDirty ?? isDirty;
    },
  });
  form.setValue('name', ' New ', { shouldDirty: true });
  return { form, isDirty: () => isDirty };
};

test('takes over what was stored', () => {
  const { form, isDirty } = createForm();
  expect(isDirty()).toBe(true);
  trackInput(form)({ name: 'New', domains: ['a.test'], isOpen: false });
  expect(form.getValues()).toEqual({ name: 'New', domains: ['a.test'], isOpen: false });
  expect(isDirty()).toBe(false);
});

test('keeps fields that were changed while the input was being saved, as unsaved', () => {
  const { form, isDirty } = createForm();
  const takeStored = trackInput(form);
  form.setValue('domains', ['a.test', 'b.test'], { shouldDirty: true });
  takeStored({ name: 'New', domains: ['a.test'], isOpen: true });
  expect(form.getValues()).toEqual({ name: 'New', domains: ['a.test', 'b.test'], isOpen: true });
  expect(isDirty()).toBe(true);
  form.setValue('domains', ['a.test'], { shouldDirty: true });
  expect(isDirty()).toBe(false);
});
