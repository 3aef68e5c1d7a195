/** How Woof words a step that waits for a person: at a gate, or because the safety policy blocks it. */
export const WAITING_FOR_APPROVAL = 'waiting for approval';

export const WAITS_FOR_APPROVAL = 'waits for approval';

/** What is asked if nobody wrote a question. */
export const APPROVAL_IS_NEEDED = 'approval is needed';
