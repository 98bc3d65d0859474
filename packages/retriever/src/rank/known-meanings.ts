import type { Trial } from './trial.ts'

/**
 * Questions that share no word with their answers, each on another subject. An embedder that carries meaning finds nearly
 * all answers; one that matches words finds them by chance.
 */
export const knownMeanings: readonly Trial[] = [
  { question: 'How do I get my money back?', answer: 'Refunds are paid out within fourteen days.' },
  { question: 'When may employees take holidays?', answer: 'Staff can book vacation after six months of service.' },
  { question: 'Which medicine helps against a headache?', answer: 'Aspirin relieves pain in your skull.' },
  { question: 'What makes a car stop?', answer: 'Brakes press pads onto the wheels of an automobile.' },
  { question: 'How hot is it outside today?', answer: 'The temperature this afternoon reaches thirty degrees.' },
  { question: 'Who wrote the novel?', answer: 'Its author published that book in 1925.' },
  { question: 'I forgot my password', answer: 'Reset your login credentials by e-mail.' },
  { question: 'Where do lions live?', answer: 'These big cats inhabit African savannas.' },
  { question: 'Why does bread rise?', answer: 'Yeast ferments sugar and fills dough with gas.' },
  { question: 'The plane landed late', answer: 'Our flight arrived with a delay at this airport.' },
  { question: 'How to fix software bugs', answer: 'Debugging an error in code of a program.' },
  { question: 'Who governs the country?', answer: 'A president leads this nation with parliament.' },
  { question: 'Is it legal to copy songs?', answer: 'Copyright law protects music from reproduction.' },
  { question: 'What do planets revolve around?', answer: 'Earth, Mars and Venus orbit our sun.' },
  { question: 'The baby is crying', answer: 'An infant weeps when hungry.' },
  { question: 'How much does the apartment cost?', answer: 'Rent of a two-room flat: 900 euros each month.' },
  { question: 'Which team won the match?', answer: 'Their footballers scored three goals and beat all rivals.' },
  { question: 'How can I grow tomatoes?', answer: 'Plant vegetable seedlings in sunny garden soil.' },
  { question: 'He repaired the bicycle', answer: 'A mechanic mended her bike and its chain.' },
  { question: 'What to do in case of fire?', answer: 'If there are flames or smoke, leave your building.' },
  { question: 'The company sacked its workers', answer: 'A firm dismissed many employees.' },
  { question: 'How do children learn to read?', answer: 'Pupils are taught letters at primary school.' },
  { question: 'The ship sank in a storm', answer: 'Heavy winds and waves wrecked this boat.' },
  { question: 'Is the water safe to drink?', answer: 'Tap supplies are tested for bacteria.' },
]
