// Finds pages and headings of the guide that have every word.
const form = document.getElementById('search');
const found = document.getElementById('found');
const MOST = 12;
let pages = null;

const link = (address, text) => {
  const item = document.createElement('li');
  const to = document.createElement('a');
  to.href = address;
  to.textContent = text;
  item.append(to);
  return item;
};

async function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return found.replaceChildren();
  pages ??= (await fetch('/guide/search.json')).json();
  const has = (one) => words.every((word) => one.toLowerCase().includes(word));
  const places = (await pages).flatMap(([address, title, headings]) => [
    ...(has(title) ? [[address, title]] : []),
    ...headings
      .filter(([, heading]) => has(`${title} ${heading}`) && !has(title))
      .map(([id, heading]) => [`${address}#${id}`, `${title}: ${heading}`]),
  ]);
  const list = document.createElement('ul');
  list.append(...places.slice(0, MOST).map(([address, title]) => link(address, title)));
  const count = document.createElement('p');
  count.textContent = places.length > MOST ? `The first ${MOST} of ${places.length}` : `${places.length} found`;
  found.replaceChildren(count, list);
}

form.addEventListener('submit', (event) => event.preventDefault());
form.querySelector('input').addEventListener('input', ({ target }) => void search(target.value));
