"""Wording: which words of a question carry it. No grammar, only lists of words that do not.

>>> alternatives("Is it better to rent or buy a flat in a big city?")
('rent', 'buy')
>>> phrases("Should companies adopt a 4-day work week?")
['companies', '4-day work week']
"""

from __future__ import annotations

import re


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ARTICLES = _set_of("a an the my our your his her their its this that these those")
_FUNCTION_WORDS = _ARTICLES | _set_of(
    """and or nor but not no yes if then than when while where what which who whom whose why how
    is are was were be been being am do does did done doing has have had having will would shall should
    can could may might must i we you he she it they me us them one ones in on at by for from of to with
    without into onto over under about between among through during before after above below against within
    across per as so such too very more most less least much many few some any all each every both either
    neither other another there here now just only also even still again ever never vs versus better best
    worse worst good bad please start starts started starting use uses using choose choosing adopt adopting
    prefer pick like rather instead really actually currently today tomorrow"""
)
# Verbs that people ask with: they join no phrase, yet may be what there is to choose from (rent or buy).
_ASKING_VERBS = _set_of(
    """make makes made apply applying get gets getting go goes going need needs want wants keep keeps take
    takes give gives write explain describe compare list tell say says know think buy build learn find help
    works mean means happen happens become becomes design plan draft propose create suggest summarise
    summarize reach reaches fit fits fail fails end ends bring brings play plays replace pay load compute live
    lives grow grows move moving test improve reduce increase collapse talk need load prove show ask asking
    begin put stop spend teach handle deal avoid change win lose run runs running step"""
)
_WORD = re.compile(r"[^\W_](?:[\w'’+#./-]*[\w+#])?|[,;:.?!]")
_SENTENCE = re.compile(r"[^.?!\n]*\?")


def asked(text: str) -> str:
    """The first sentence that asks, else the first line that says something; short enough to be quoted."""
    sentence_asking = _SENTENCE.search(text)
    lines = sorted(text.splitlines(), key=lambda line: len(line.split()) < 3)
    first = sentence_asking[0] if sentence_asking else next(iter(lines), "")
    sentence = " ".join(first.strip(" \t#*_>`\"'“”-").split())
    return sentence if len(sentence) <= 160 else f"{sentence[:157].rstrip()}..."


def headline(question: str) -> str:
    """`Should I rent or buy a home?` → `Rent or buy a home`: three to five words."""
    words = [word[:24] for word in _WORD.findall(question) if word not in ",;:.?!"]
    first = next((at for at, word in enumerate(words) if not _is_of_no_weight(word)), 0)
    chosen = words[first : first + 5]
    while len(chosen) > 3 and (_is_of_no_weight(chosen[-1]) or len(" ".join(chosen)) > 48):
        chosen.pop()
    text = " ".join(chosen) if len(chosen) > 2 else f"Question about {' '.join(chosen) or 'something'}"
    text = text if len(text) <= 48 else f"Question about {chosen[0]}"
    return text[:1].upper() + text[1:]


def alternatives(question: str) -> tuple[str, ...]:
    """`tabs or spaces`, `between X and Y`, `A, B or C`: the things to choose from, else none."""
    words: list[str] = _WORD.findall(question)
    plain = [word.casefold() for word in words]
    if "between" in plain and "and" in plain[plain.index("between") :]:
        start = plain.index("between")
        middle = plain.index("and", start)
        return _named(_run_before(words, middle), _run_after(words, middle))
    joints = [at for at, word in enumerate(plain) if word in {"or", "vs", "versus"}]
    if not joints:
        return ()
    joint = joints[-1]
    before = _run_before(words, joint)
    start = joint - len(before.split())
    first = _run_before(words, start - 1) if start > 1 and words[start - 1] == "," else ""
    return _counted(_named(first, before, _run_after(words, joint)))


def _counted(choices: tuple[str, ...]) -> tuple[str, ...]:
    """`one repository or several` → `one repository`, `several repositories`."""
    if len(choices) != 2 or choices[1].casefold() not in _NUMBERS:
        return choices
    noun = choices[0].split()[-1]
    many = f"{noun[:-1]}ies" if re.search("[^aeiou]y$", noun) else f"{noun}s"
    return f"one {without_article(choices[0])}", f"{choices[1]} {many}"


_NUMBERS = _set_of("several many two three four five multiple more both")


def _named(*choices: str) -> tuple[str, ...]:
    given = tuple(choice for choice in dict.fromkeys(choices) if choice)
    if len(given) < 2 or any(choice.casefold() in _NO_CHOICES for choice in given):
        return ()
    return given


_NO_CHOICES = frozenset(["not", "no", "yes", "later", "sooner", "so", "more", "less"])


def _run_before(words: list[str], end: int) -> str:
    run: list[str] = []
    for word in reversed(words[max(0, end - 5) : end]):
        if word.casefold() in _ARTICLES and run:
            return " ".join([word, *run])
        if _ends_a_phrase(word):
            break
        run.insert(0, word)
    return " ".join(run)


def _run_after(words: list[str], joint: int) -> str:
    run: list[str] = []
    for word in words[joint + 1 : joint + 6]:
        is_leading_article = not run and word.casefold() in _ARTICLES
        if _ends_a_phrase(word) and not is_leading_article:
            break
        run.append(word)
    return "" if run and run[-1].casefold() in _ARTICLES else " ".join(run)


def _ends_a_phrase(word: str) -> bool:
    return word in ",;:.?!" or word.casefold() in _FUNCTION_WORDS


def _is_of_no_weight(word: str) -> bool:
    return _ends_a_phrase(word) or word.casefold() in _ASKING_VERBS or word.isdecimal()


def with_article(phrase: str, question: str) -> str:
    """`small team` → `a small team`, if that is how the question has it; `our flat` → `the flat`."""
    found = re.search(rf"\b({'|'.join(_ARTICLES)}) {re.escape(phrase)}", question, re.IGNORECASE)
    if found is None:
        return phrase
    article = found[1].casefold()
    return f"{article if article in {'a', 'an'} else 'the'} {phrase}"


def without_article(phrase: str) -> str:
    first, _, rest = phrase.partition(" ")
    return rest if rest and first.casefold() in _ARTICLES else phrase


def phrases(question: str) -> list[str]:
    """Runs of words that carry meaning: in `Should firms adopt a 4-day week?` firms, 4-day week."""
    runs: list[list[str]] = [[]]
    for word in _WORD.findall(question):
        if word.casefold() == "of" and runs[-1]:
            runs[-1].append(word)
        elif _is_of_no_weight(word):
            runs.append([])
        elif len(runs[-1]) < 4:
            runs[-1].append(word)
    joined = (" ".join(run).removesuffix(" of") for run in runs if run)
    return list(dict.fromkeys(joined))
