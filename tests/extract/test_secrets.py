from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonebot_plugin_scoped_memory.engine.extract.secrets import find_secret, mask, private_contact

SECRETS = [
    ("密码是 hunter2", "hunter2", "密码"),
    ("密码：abc", "abc", "密码"),
    ("密碼是abc123喔", "abc123", "密码"),
    ("wifi密码改成了hunter2!", "hunter2", "密码"),
    ("服务器密码（root）：Passw0rd", "Passw0rd", "密码"),
    ("密码：\nabc123", "abc123", "密码"),
    ("密码123456", "123456", "密码"),
    ("密码是ｈｕｎｔｅｒ２", "ｈｕｎｔｅｒ２", "密码"),
    ("口令：zhima-kaimen", "zhima-kaimen", "密码"),
    ("hunter22 是我的密码", "hunter22", "密码"),
    ("password: x", ": x", "密码"),
    ("my password is hunter2", "hunter2", "密码"),
    ("?pwd=k3f9&x=1", "k3f9", "密码"),
    ('{"password":"x1y"}', "x1y", "密码"),
    ("密码是 ab[cd]ef1", "cd]ef1", "密码"),
    ("postgres://bot:s3cret@db.example/memory", "s3cret", "密码"),
    ("key是sk-abc123def456ghi别外传", "sk-abc123def456ghi", "密钥"),
    ("ghp_abcdefghij1234567890", "ghp_abcdefghij1234567890", "密钥"),
    ("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE", "密钥"),
    ("Authorization: Bearer abcdef123456", "abcdef123456", "密钥"),
    ("eyJhbGciOiJI.eyJzdWIiOiIx.SflKxw", "eyJhbGciOiJI.eyJzdWIiOiIx.SflKxw", "密钥"),
    ("token是5f2b9a8c7d6e", "5f2b9a8c7d6e", "密钥"),
    ("secret：aGVsbG8gd29ybGQgaGVsbG8=", "aGVsbG8gd29ybGQgaGVsbG8=", "密钥"),
    ("密钥 0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef", "密钥"),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
        "MIIE",
        "密钥",
    ),
    ("身份证11010519491231002X", "11010519491231002X", "身份证号"),
    ("我的号是 110105 19491231 002x。", "19491231", "身份证号"),
    ("卡号4111111111111111", "4111111111111111", "银行卡号"),
    ("卡号 4111 1111 1111 1111", "1111 1111", "银行卡号"),
    ("验证码 123456", "123456", "验证码"),
    ("您的验证码为【8842】，5分钟内有效", "8842", "验证码"),
    ("【某某】123456是您的登录验证码", "123456", "验证码"),
    ("verification code: 552213", "552213", "验证码"),
    ("验证码：aB3d", "aB3d", "验证码"),
]


@pytest.mark.parametrize(("text", "secret", "kind"), SECRETS)
def test_secrets_are_masked_and_named(text: str, secret: str, kind: str) -> None:
    masked = mask(text)
    assert secret not in masked
    assert f"[已隐去:{kind}]" in masked
    assert find_secret(text) == kind
    assert find_secret(masked) == kind


@pytest.mark.parametrize(
    "text",
    [
        "我的 QQ 是 1234567890，加我",
        "订单号 20240102",
        "2024-01-02 2024-01-03 两天都在",
        "一共 12999.00 元",
        "密码学是 Python 课的一部分",
        "忘了密码怎么办",
        "密码是什么",
        "密码是多少？",
        "密码 8-16 位",
        "密码本在桌上",
        "the password is wrong",
        "password is required",
        "max_tokens: 300000",
        "token 数量超过限制了怎么办呢啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊啊",
        "pip install scikit-learn sk-learn",
        "compass: north",
        "验证码收不到",
        "2024年验证码越来越难",
        "110105194912310021",  # the check character is wrong
        "6222020200112233444",  # so is the Luhn digit
        "1234567812345670 是平台的 id",
        "10086",
    ],
)
def test_harmless_text_stays(text: str) -> None:
    assert mask(text) == text
    assert find_secret(text) is None


def test_what_stands_around_a_secret_stays() -> None:
    assert mask("我的密码是 hunter2，别告诉小红") == "我的密码是 [已隐去:密码]，别告诉小红"


PIECES = [
    "密码",
    "是",
    "：",
    "token ",
    "sk-",
    "验证码",
    "1234",
    "a1b2c3d4",
    "[已隐去:密码]",
    "eyJ",
    ".",
    " ",
    "\n",
    "@",
    "://",
    "x",
]


@settings(deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=30).map("".join)))
def test_masking_twice_changes_nothing(text: str) -> None:
    assert mask(mask(text)) == mask(text)


@pytest.mark.parametrize(
    "text",
    [
        "小红的手机号是13800138000",
        "打 138-0013-8000",
        "打 138 0013 8000 找她",
        "+8613800138000",
        "010-62345678",
        "她住在中山路18号",
        "他家在阳光小区3栋402室",
        "人民大道一百二十号",
        "5栋2单元301",
        "at 12 Baker Street",
    ],
)
def test_phone_numbers_and_street_addresses_are_private(text: str) -> None:
    assert private_contact(text)


@pytest.mark.parametrize(
    "text",
    ["QQ 1234567890", "住在杭州", "在路上", "10号线", "三号楼开会", "订单 139001380001234", "下午3点", "路过18号线"],
)
def test_other_numbers_and_places_are_not(text: str) -> None:
    assert not private_contact(text)


UNITS = [
    *("密码", "密码是", "密码 ", "是密码", "验证码", "token ", "Bearer ", "pass:", "[已隐去:", "路1", "小区 "),
    *("sk-", "sk-a1", "eyJ", "eyJaaaaa.", "-----BEGIN PRIVATE KEY-----", "://a:", "https://a:b"),
    *("1", "1 ", "1-", "4111 ", "a", " ", "🙂", "\ud83d"),
]


@pytest.mark.timeout(60)  # well under a second; what is quadratic takes minutes
@pytest.mark.parametrize("unit", UNITS)
def test_time_is_linear(unit: str) -> None:
    text = (unit * 20_000)[:20_000]
    assert len(mask(text)) > 0
    private_contact(text)
