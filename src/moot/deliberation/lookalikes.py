"""Letters that look like others: for each plain letter the foreign ones that a reader takes for it.

    >>> "VОТЕ".translate(LOOKALIKES)  # three of these four are Cyrillic
    'VOTE'

After the Unicode consortium's list of confusables, letters alone; those that differ from a plain letter only
in style (𝐕, Ｖ) or by an accent are told by `parsing.fold` without a table. Small capitals and the letters
of emoji count as capitals.
"""

from __future__ import annotations

from string import ascii_uppercase

_FOREIGN = {
    "A": "ΑАᎪᗅᴀꓮ𐊠𖽀",
    "B": "ʙΒВвᏴᗷᴃꓐꞴ𐊂𐊡𐌁",
    "C": "ϹСᏟⲤꓚ𐊢𐌂𐐕𐔜",
    "D": "Ꭰᗞᗪᴅꓓ",
    "E": "ΕЕᎬᴇⴹꓰ𐊆𑢦𑢮",
    "F": "ϜᖴꓝꞘ𐊇𐊥𐔥𑢢𑣂",
    "G": "ɢԌᏀᏳꓖ",
    "H": "ʜΗНнᎻᕼⲎꓧ𐋏",
    "I": "ΙІӀⲒ",
    "J": "ͿЈᎫᒍᴊꓙꞲ",
    "K": "ΚКᏦᛕᴋⲔꓗ𐔘",
    "L": "ʟᏞᒪⳐꓡ𐐛𐔦𑢣𑢲𖼖",
    "M": "ΜϺМмᎷᗰᛖᴍⲘꓟ𐊰𐌑",
    "N": "ɴΝⲚꓠ𐔓",
    "O": "ΟОՕଠዐⲞⵔꓳ𐊒𐊫𐐄𐓂𐔖𑢵",
    "P": "ΡРᏢᑭᴘⲢꓑ𐊕",
    "Q": "ⵕ",
    "R": "ƦʀᎡᏒᖇꓣ𐒴𖼵",
    "S": "ЅՏᏕᏚꓢ𐊖𐐠𖼺",
    "T": "ΤτТтᎢᴛⲦꓔ𐊗𐊱𐌕𑢼𖼊",
    "U": "Սሀᑌꓴ𐓎𑢸𖽂",
    "V": "ѴᏙᐯⴸꓦꛟ𐔝𑢠𖼈",
    "W": "ԜᎳᏔꓪ",
    "X": "ΧХᚷⲬⵝꓫꞳ𐊐𐊴𐌗𐔧",
    "Y": "ΥУҮᎩᎽⲨꓬ𐊲𑢤𖽃",
    "Z": "ΖᏃꓜ𑢩",
    "a": "ɑαа",
    "b": "ƀƄЬᏏᑲᖯ",
    "c": "ϲсᴄⲥꮯ𐐽",
    "d": "đԁᏧᑯꓒ",
    "e": "εеҽꬲ",
    "f": "քẝꞙꬵ",
    "g": "ƍɡցᶃ",
    "h": "ħһհᏂ",
    "i": "ıɩɪιіӏᎥꙇꭵ𑣃",
    "j": "ϳј",
    "k": "κк",
    "l": "łƖǀᛁⵏꓲ𐊊𐌉𖼨",
    "n": "ηոռ",
    "o": "øοσоօഠဝჿᴏᴑⲟꬽ𐐬𐓪𑣈𑣗",
    "p": "ρрⲣ",
    "q": "ԛգզ",
    "r": "гᴦⲅꭇꭈꮁ",
    "s": "ƽѕꜱꮪ𐑈𑣁",
    "t": "ŧ",
    "u": "ʋυսᴜꞟꭎꭒ𐓶𑣘",
    "v": "νѵᴠꮩ𑜆𑣀",
    "w": "ɯωѡԝաᴡꮃ𑜊𑜎𑜏",
    "x": "χхᕁᕽ",
    "y": "ɣʏγуүყᶌỿꭚ𑣜",
    "z": "ᴢꮓ𑣄",
}
_EMOJI = (0x1F150, 0x1F170, 0x1F1E6)
"""Where the alphabets of 🅐, 🅰 and 🇦 begin."""

LOOKALIKES: dict[int, str] = {
    **{ord(foreign): letter for letter, all_foreign in _FOREIGN.items() for foreign in all_foreign},
    **{first + place: letter for first in _EMOJI for place, letter in enumerate(ascii_uppercase)},
}
