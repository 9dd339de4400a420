/** What is wrong with a new password besides its length, which the contract states; undefined when nothing is. */
export function passwordFault(password: string, email: string | undefined): string | undefined {
  if (password.trim() === '') return 'must not be spaces alone';
  if (email !== undefined && plain(password) === plain(email)) return 'must not be the e-mail address';
  return undefined;
}

const plain = (text: string): string => text.trim().normalize('NFC').toLowerCase();
